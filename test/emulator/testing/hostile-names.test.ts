import { expect, it, onTestFinished } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { clientOf } from '../../support/api-client.js'
import { caller } from '../control/control.js'

/** Escapes of terminals, in both forms, marks that change the direction of writing, and line ends. */
const NAME = '\u001b]0;title\u0007\u009b31m\u202e\r\n  +0.00s  POST /fake 200'

it.each(['trace', 'list_jobs', 'list_requests', 'read_trace'])(
  'no name of a client controls a terminal or looks like another line: %s',
  async (shownBy) => {
    const emulator = createEmulator({ clock: 'manual' })
    onTestFinished(() => emulator.close())
    await emulator.models.create({ name: NAME })
    await emulator.jobs.start({ model: NAME })
    emulator.jobs.fail(emulator.job().id, NAME)
    const body = { name: NAME, project: 'p', base_model: NAME }
    await clientOf(emulator).post('/preview/models', body)
    const call = { name: shownBy, arguments: {} }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }
    const { body: answer } = await caller(emulator, emulator.fetch)('POST /mcp', message)
    const text: string = shownBy === 'trace' ? emulator.trace() : answer.result.content[0].text
    expect(text).toContain('\\u009b31m\\u202e\\u000d\\u000a')
    // eslint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
    expect(text).not.toMatch(/^ *\+0\.00s {2}POST \/fake/m)
  },
)
