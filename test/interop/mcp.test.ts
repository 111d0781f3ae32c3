import { join } from 'node:path'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { createEmulator } from '../../src/index.js'
import { assertBuilt } from '../cli/command.js'
import { runPython } from './python.js'

/** The official client of MCP for Python, unmodified. What it does stands in clients/mcp_client.py. */

const { mcp } = inject('pythons')
const script = join(import.meta.dirname, '..', '..', 'bin', 'svtrain-emulator.js')

async function story(args: readonly string[]): Promise<unknown> {
  const ran = await runPython(mcp.command!, [join('clients', 'mcp_client.py'), ...args], {})
  if (ran.code !== 0) throw new Error(ran.stderr.slice(-3000))
  return JSON.parse(ran.stdout)
}

/** How the client negotiates, and the protocol that it then speaks. */
const modes: [mode: string, protocol: string][] = [
  ['auto', '2026-07-28'],
  ['legacy', '2025-11-25'],
]

describe.skipIf(mcp.command === undefined)('The client of MCP for Python', () => {
  beforeAll(assertBuilt)

  it.each(modes)('uses the tools over HTTP, mode %s', async (mode, protocol) => {
    await using emulator = createEmulator({ clock: 'instant' })
    await emulator.listen()
    const { href } = new URL('/_emulator/mcp', emulator.trainingUrl)
    expect(await story(['http', mode, href])).toEqual({ protocol })
  })

  it.each(modes)('uses the tools over stdio, mode %s', async (mode, protocol) => {
    const server = [process.execPath, script, 'mcp']
    expect(await story(['stdio', mode, ...server])).toEqual({ protocol })
  })
})
