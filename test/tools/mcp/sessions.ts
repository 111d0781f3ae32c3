import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { beforeAll, describe, onTestFinished } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../../src/index.js'
import { assertBuilt } from '../../cli/command.js'
import { msw2 } from '../../support/msw.js'

/** What a tool answered. */
export interface ToolAnswer {
  text: string
  isError: boolean
}

/** A client that is connected to an MCP server. */
export interface Session {
  client: Client
  /** Calls a tool. */
  tool: (name: string, args?: Record<string, unknown>) => Promise<ToolAnswer>
  /** Calls a tool that must succeed, and returns its text. */
  text: (name: string, args?: Record<string, unknown>) => Promise<string>
}

export const transports = ['in process', 'msw', 'port', 'stdio'] as const
export type Transport = (typeof transports)[number]

/** The generations of the protocol: that of 2026 has no handshake, that of 2025 begins with one. */
export const eras = { 'of 2026': { pin: '2026-07-28' }, 'of 2025': 'legacy' } as const
export type Era = keyof typeof eras

type Connect = (options?: EmulatorOptions) => Promise<Session>

/** Runs the same tests over every transport, with clients of both generations of the protocol. */
export function describeSessions(name: string, body: (connect: Connect) => void): void {
  for (const transport of transports) {
    for (const era of Object.keys(eras) as Era[]) {
      describe(`${name} (${transport}, a client ${era})`, () => {
        if (transport === 'stdio') beforeAll(assertBuilt)
        body((options) => connectTo(transport, { era, options }))
      })
    }
  }
}

interface Wanted {
  era?: Era
  options?: EmulatorOptions | undefined
}

/** Starts an emulator, and connects a client over a transport. */
export async function connectTo(
  transport: Transport,
  { era = 'of 2026', options = {} }: Wanted = {},
): Promise<Session> {
  if (transport === 'stdio') return connectToCommand(argumentsFor(options), { era })
  const emulator = createEmulator({ clock: 'instant', ...options })
  onTestFinished(() => emulator.close())
  if (transport === 'in process') return connectOverHttp(emulator, { era, fetch: emulator.fetch })
  if (transport === 'port') await emulator.listen()
  else {
    const { handlers, setupServer } = await msw2()
    const server = setupServer(...handlers(emulator))
    server.listen()
    onTestFinished(() => server.close())
  }
  return connectOverHttp(emulator, { era, fetch })
}

interface Http {
  era?: Era
  fetch?: typeof fetch
  headers?: Record<string, string>
}

/** Connects a client to an emulator over HTTP. */
export function connectOverHttp(
  emulator: Emulator,
  { fetch: send, headers, era }: Http = {},
): Promise<Session> {
  const url = new URL('/_emulator/mcp', emulator.trainingUrl)
  const requestInit = headers ? { requestInit: { headers } } : {}
  const sender = send ?? fetch
  return sessionOver(
    new StreamableHTTPClientTransport(url, { fetch: sender, ...requestInit }),
    era ?? 'of 2026',
  )
}

const root = join(import.meta.dirname, '..', '..', '..')

interface Started {
  era?: Era
  cwd?: string
  env?: Record<string, string>
}

/** Starts the built command `mcp`, and connects a client over stdio. */
export function connectToCommand(
  args: readonly string[],
  { era = 'of 2026', cwd = root, env = {} }: Started = {},
): Promise<Session> {
  const script = join(root, 'bin', 'svtrain-emulator.js')
  const { PATH = '' } = process.env
  const command = { command: process.execPath, args: [script, 'mcp', ...args] }
  const surroundings = { cwd, env: { PATH, ...env }, stderr: 'ignore' as const }
  return sessionOver(new StdioClientTransport({ ...command, ...surroundings }), era)
}

function argumentsFor({ scenario, seed, clock, isolate }: EmulatorOptions): string[] {
  const given = { scenario, seed, clock, isolate }
  return Object.entries(given).flatMap(([name, value]) => {
    return typeof value === 'object' || value === undefined ? [] : [`--${name}`, `${value}`]
  })
}

async function sessionOver(
  transport: StreamableHTTPClientTransport | StdioClientTransport,
  era: Era,
): Promise<Session> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: eras[era] } },
  )
  onTestFinished(() => client.close())
  await client.connect(transport)
  const tool: Session['tool'] = async (name, args = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: args })
    const texts = (content as { type: string; text: string }[]).map(({ text }) => text)
    return { text: texts.join('\n'), isError }
  }
  return {
    client,
    tool,
    async text(name, args) {
      const { text, isError } = await tool(name, args)
      if (isError) throw new Error(`${name} failed: ${text}`)
      return text
    },
  }
}
