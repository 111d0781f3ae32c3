import { join } from 'node:path'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { createEmulator } from '../../src/index.js'
import { assertBuilt } from '../cli/command.js'
import { resultOf, runPython } from './python.js'

/** The official client of MCP for Python, unmodified. What it does stands in clients/mcp_client.py. */

const { clients } = inject('pythons')
const script = join(import.meta.dirname, '..', '..', 'bin', 'svtrain-emulator.js')

/** How the client negotiates, and the protocol that it then speaks. */
const protocols = { auto: '2026-07-28', legacy: '2025-11-25' }

describe.skipIf(clients.command === undefined)('The client of MCP for Python', () => {
  beforeAll(assertBuilt)

  it('uses the tools over HTTP and over stdio, in both modes', async () => {
    await using auto = createEmulator({ clock: 'instant' })
    await using legacy = createEmulator({ clock: 'instant' })
    const servers: [mode: keyof typeof protocols, place: string | string[]][] = []
    for (const [mode, emulator] of Object.entries({ auto, legacy })) {
      await emulator.listen()
      const { href } = new URL('/_emulator/mcp', emulator.trainingUrl)
      servers.push([mode as keyof typeof protocols, href])
    }
    servers.push(['auto', [process.execPath, script, 'mcp']])
    servers.push(['legacy', [process.execPath, script, 'mcp']])
    const ran = await runPython(clients.command!, [
      join('clients', 'mcp_client.py'),
      JSON.stringify(servers),
    ])
    expect(resultOf(ran)).toEqual(servers.map(([mode]) => protocols[mode]))
  })
})
