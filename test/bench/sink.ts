/**
 * Measures the signed deliveries per second that the webhook sink verifies, writes to a file and
 * acknowledges, compared with a bare node:http server that only reads the bodies.
 */
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TEST_PAYLOAD } from '../../src/webhooks/sending/receiver-battery.js'
import { load } from './load.js'
import { startServer, startSink, type ServerProcess } from './server-process.js'
import { roundOf, type Settings } from './settings.js'
import { figureOf, type Table } from './table.js'
import { inTurns } from './turns.js'

const body = JSON.stringify(TEST_PAYLOAD)
const signature = createHmac('sha256', 's3cret').update(body).digest('hex')

function delivery({ host }: URL): string {
  return [
    'POST /hook HTTP/1.1',
    `host: ${host}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-service-signature: ${signature}`,
    '',
    body,
  ].join('\r\n')
}

const secret = '--secret=s3cret'

export async function sinks(settings: Settings): Promise<Table[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svtrain-bench-'))
  const file = (name: string): string => `--to=${join(folder, name)}`
  const started: { name: string; server: ServerProcess }[] = []
  for (const [name, start] of [
    ['bare `node:http`', () => startServer(['test/bench/bare-server.mjs'])],
    ['the sink, in memory', () => startSink(secret)],
    ['with `--to`', () => startSink(secret, file('one.ndjson'))],
    ['with `--to --fsync`', () => startSink(secret, file('two.ndjson'), '--fsync')],
  ] as const) {
    started.push({ name, server: await start() })
  }
  const told = await inTurns(started, settings, async ({ server }) => {
    const url = new URL(server.url)
    return (await load(url, delivery(url), roundOf(settings))).rate
  })
  for (const { server } of started) await server.stop()
  rmSync(folder, { recursive: true })
  const limit = told.get(started[0]!)!
  return [
    {
      title: 'The webhook sink',
      columns: ['acknowledged'],
      rows: [...told].map(([{ name }, rates]) => ({
        name,
        figures: [figureOf(rates, '/s', rates === limit ? undefined : limit)],
      })),
      notes: [`Signed deliveries of ${body.length} bytes per second; more is better.`],
    },
  ]
}
