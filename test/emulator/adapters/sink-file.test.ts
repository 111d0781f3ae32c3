import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openSinkFile } from '../../../src/emulator/adapters/sink-file.js'
import { openWebhookSink } from '../../../src/index.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { secret, signed } from '../../webhooks/sending/sender.js'

function emptyFile(): string {
  return join(temporaryFolder(), 'deliveries.ndjson')
}

function linesOf(file: string): Record<string, unknown>[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  expect(lines.pop()).toBe('')
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('the file of a sink', () => {
  it('has a line for each delivery, written before it is acknowledged', async () => {
    const out = emptyFile()
    const sink = await openWebhookSink({ secrets: secret, token: 'my-token', out })
    const body = '{"event_type": "RUN_STATE"}\n'
    const answer = await sink.fetch(
      `${sink.url}/hook`,
      signed(body, { authorization: 'Bearer my-token' }),
    )
    expect(answer.status).toBe(200)
    expect(linesOf(out)).toEqual([
      {
        id: '1',
        at: new Date(sink.deliveries[0]!.at).toISOString(),
        method: 'POST',
        path: '/hook',
        query: '',
        verdict: 'valid',
        secret: 'the secret',
        headers: {
          authorization: 'Bearer [not shown]',
          'content-type': 'application/json',
          'x-service-signature': expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        text: body,
        body: { event_type: 'RUN_STATE' },
      },
    ])
    await sink.close()
  })

  it.each(['s3cr3t-token', 'Bearer s3cr3t-token', 'Basic czNjcjN0LXRva2Vu'])(
    'has no credential, whatever its form: %s',
    async (authorization) => {
      const out = emptyFile()
      const sink = await openWebhookSink({ out })
      await sink.fetch(`${sink.url}/hook`, signed('{}', { authorization }))
      const [delivery] = sink.deliveries
      for (const text of [readFileSync(out, 'utf8'), JSON.stringify(delivery)]) {
        expect(text).toContain('[not shown]')
        expect(text).not.toMatch(/s3cr3t|czNjcjN0/)
      }
      await sink.close()
    },
  )

  it('stores any bytes so that they can be restored', async () => {
    const out = emptyFile()
    const sink = await openWebhookSink({ out })
    const sent: Uint8Array[] = []
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        sent.push(bytes)
        await sink.fetch(sink.url, { method: 'POST', body: bytes as BodyInit })
      }),
    )
    await sink.close()
    const kept = linesOf(out).map(({ text, base64 }) => {
      return base64 === undefined
        ? Buffer.from(text as string)
        : Buffer.from(base64 as string, 'base64')
    })
    expect(kept.map((each) => each.toString('hex'))).toEqual(
      sent.map((each) => Buffer.from(each).toString('hex')),
    )
  })

  it('stores any JSON unchanged, in any formatting', async () => {
    const out = emptyFile()
    const sink = await openWebhookSink({ out })
    await fc.assert(
      fc.asyncProperty(
        fc.json(),
        fc.constantFrom('', ' ', '\n', '\r\n\t'),
        fc.constantFrom(undefined, 0, 2),
        async (json, around, indent) => {
          const body = around + JSON.stringify(JSON.parse(json), null, indent) + around
          await sink.fetch(sink.url, signed(body))
          expect(linesOf(out).at(-1)).toEqual(JSON.parse(JSON.stringify(sink.deliveries.at(-1))))
        },
      ),
      { numRuns: 100 },
    )
    await sink.close()
  })

  it('is continued by the next sink, and so is the numbering', async () => {
    const out = emptyFile()
    for (const expected of ['1', '2', '3']) {
      const sink = await openWebhookSink({ out, fsync: true })
      const answer = await sink.fetch(sink.url, signed({}))
      expect(await answer.json()).toMatchObject({ id: expected })
      await sink.close()
    }
    expect(linesOf(out).map(({ id }) => id)).toEqual(['1', '2', '3'])
  })

  it('loses only a record that was not written completely', async () => {
    const whole = '{"id":"1","text":"é"}\n'
    const last = Buffer.from('{"id":"2","text":"größe"}')
    for (let length = 0; length < last.length; length++) {
      const path = emptyFile()
      writeFileSync(path, Buffer.concat([Buffer.from(whole), last.subarray(0, length)]))
      const file = await openSinkFile(path)
      expect([file.records, file.torn]).toEqual([1, length])
      await file.append('{"id":"2"}')
      await file.close()
      expect(readFileSync(path, 'utf8')).toBe(`${whole}{"id":"2"}\n`)
    }
  })

  it.each([
    ['a whole record that only lacks its line end', '{"id":"1"}', 1],
    ['a text that is none of ours', 'a diary', 1],
    ['nothing', '', 0],
  ])('is opened without removing anything from %s', async (_what, text, records) => {
    const path = emptyFile()
    writeFileSync(path, text)
    const file = await openSinkFile(path)
    expect([file.records, file.torn]).toEqual([records, 0])
    await file.append('{"id":"2"}')
    await file.close()
    expect(readFileSync(path, 'utf8')).toBe(`${text}${text === '' ? '' : '\n'}{"id":"2"}\n`)
  })

  // A device on which every write fails, as on a full disk.
  it.skipIf(!existsSync('/dev/full'))('refuses a delivery that cannot be written', async () => {
    const sink = await openWebhookSink({ out: '/dev/full' })
    const answer = await sink.fetch(sink.url, signed({}))
    expect(answer.status).toBe(503)
    expect(sink.deliveries).toEqual([])
    await sink.close()
  })
})
