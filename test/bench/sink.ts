/**
 * Deliveries per second that the sink acknowledges, each verified and written to a file before,
 * beside a bare node:http server that reads bodies and forgets them. Interleaved; medians.
 */
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { USUAL_PAYLOAD } from '../../src/webhooks/receiver-battery.js'
import { load } from './load.js'
import { startServer } from './server-process.js'
import { median, spread } from './statistics.js'

const ROUNDS = Number(process.env.ROUNDS ?? 9)
const OPTIONS = { connections: 32, ms: 1000 }
const folder = mkdtempSync(join(tmpdir(), 'svtrain-bench-'))

const body = JSON.stringify(USUAL_PAYLOAD)
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

const sink = ['bin/svtrain-emulator.js', 'sink', '--port=0', '--log=silent', '--secret=s3cret']
const rows = [
  { name: 'in memory', args: sink },
  { name: 'with --out', args: [...sink, `--out=${join(folder, 'one.ndjson')}`] },
  { name: 'with --fsync', args: [...sink, `--out=${join(folder, 'two.ndjson')}`, '--fsync'] },
]

console.log(
  `Node ${process.version}, ${ROUNDS} rounds of ${OPTIONS.ms} ms, ${OPTIONS.connections} connections, bodies of ${body.length} bytes`,
)
const bare = await startServer(['test/bench/discarding-server.mjs'])
for (const { name, args } of rows) {
  const ours = await startServer(args)
  const ratios: number[] = []
  const rates: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const limit = await acknowledged(bare.url)
    const rate = await acknowledged(ours.url)
    ratios.push(rate / limit)
    rates.push(rate)
  }
  await ours.stop()
  const told = `${median(ratios).toFixed(2)} ± ${spread(ratios).toFixed(2)} of bare node:http`
  console.log(`${name.padEnd(16)} ${told}  (${Math.round(median(rates))} per second)`)
}
await bare.stop()
rmSync(folder, { recursive: true })

function acknowledged(url: string): Promise<number> {
  const at = new URL(url)
  return load(at, delivery(at), OPTIONS)
}
