/**
 * The sink that is killed. It records into a file and waits for the disk. It prints its URL, and exits with the
 * process that started it.
 */
import { openWebhookSink } from '../../../src/index.js'

const [out] = process.argv.slice(2) as [string]
const sink = await openWebhookSink({ out, fsync: true })
await sink.listen()
console.log(JSON.stringify({ url: sink.url }))
process.stdin.resume().on('end', () => process.exit())
