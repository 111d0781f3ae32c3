import { PassThrough } from 'node:stream'
import { execPath } from 'node:process'
import { beforeEach, expect, it } from 'vitest'
import { tellBackgroundErrors } from '../../src/cli/background.js'
import { runChild } from '../../src/cli/child.js'
import { messageLines } from '../../src/cli/tools/mcp/message-lines.js'
import { terminalOf } from '../../src/cli/terminal.js'

/** What a faulty callback throws. */
const fault = (): never => {
  throw new TypeError('boom\n happened')
}

let told: string[]
beforeEach(() => {
  told = []
  tellBackgroundErrors((text) => told.push(text))
})

it('an error in a callback of stdin is one line, and the next message is read', () => {
  const stdin = new PassThrough()
  const messages = messageLines(stdin, { write: fault } as never)
  stdin.emit('data', Buffer.from('not JSON\n'))
  stdin.emit('data', Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}\n'))
  expect(told).toEqual(['Failed to read a message: TypeError: boom happened'])
  expect(String(messages.read())).toContain('"method":"ping"')
})

it('an error in a timer of a command is one line, and the command is stopped', async () => {
  const ended = await runChild([execPath, '--eval', 'setInterval(() => {}, 1000)'], {
    env: process.env,
    interactive: false,
    timeout: 1,
    onTimeout: fault,
  })
  expect(ended).toEqual({ code: 124 })
  expect(told).toEqual(['Failed to report before the command is stopped: TypeError: boom happened'])
})

it('an error in the status is one line above it, told once, and later lines are shown', () => {
  let written = ''
  const write = (text: unknown): boolean => {
    written += String(text)
    return true
  }
  const stream = { write, isTTY: true, columns: 80, rows: 24 } as NodeJS.WriteStream
  const { statusArea, writeError } = terminalOf(stream, stream, {})
  tellBackgroundErrors(writeError)
  statusArea!.show(fault)
  statusArea!.show(fault)
  expect(written).toBe('Failed to draw the status: TypeError: boom happened\n')
  statusArea!.show(() => ['1 of 2 runs'])
  expect(written.endsWith('1 of 2 runs\n')).toBe(true)
})
