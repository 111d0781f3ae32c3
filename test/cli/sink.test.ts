import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { secret, signed } from '../webhooks/sending/sender.js'
import { assertBuilt, Command } from './command.js'

beforeAll(assertBuilt)

async function startSink(...args: string[]): Promise<{ command: Command; url: string }> {
  const command = new Command(['sink', '--port', '0', ...args])
  const [, url] = await command.says(/Webhook sink at (\S+),[^]*^Ready\./m)
  return { command, url: url! }
}

describe('the sink command', () => {
  it('prints its URL and each delivery, and stops at Ctrl-C', async () => {
    const { command, url } = await startSink('--secret', 'old', '--secret', secret)
    await fetch(url)
    await fetch(`${url}/hook`, signed({ event_type: 'RUN_STATE' }))
    await fetch(`${url}/hook`, signed({}, { 'x-service-signature': secret }))
    await command.says(/which everyone can read/)
    command.process.kill('SIGINT')
    expect(await command.ended()).toBe(0)
    const lines = command.lines.slice(-4).map((line) => line.replace(/^[\d:]{8} {2}/, 'time  '))
    expect(lines).toEqual([
      'GET /: a probe, not recorded as a delivery',
      'time  1: POST /hook, RUN_STATE, valid',
      'time  2: POST /hook, invalid',
      '          The header holds secret 2 itself, which everyone can read, instead of a signature made with it.',
    ])
    expect(command.output).not.toContain(secret)
  })

  it('reports an incomplete record that it removed', async () => {
    const out = join(temporaryFolder(), 'deliveries.ndjson')
    writeFileSync(out, '{"id":"1"}\n{')
    const { command, url } = await startSink('--to', out, '--log', 'pretty')
    await fetch(url, signed({}))
    command.process.kill('SIGTERM')
    expect(await command.ended()).toBe(0)
    expect(command.stderr).toContain(
      'ended with 1 byte of an incomplete record, which was never acknowledged',
    )
    expect(readFileSync(out, 'utf8')).toMatch(/^\{"id":"1"\}\n\{"id":"2",.*\}\n$/)
  })

  it('fails if a file is where the folder of its file would be', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'file'), '')
    const command = new Command(['sink', '--to', join(folder, 'file', 'received.ndjson')])
    expect(await command.ended()).toBe(1)
    expect(command.stderr).toMatch(/^Failed to open .*: (?:ENOTDIR|EEXIST)/)
  })
})
