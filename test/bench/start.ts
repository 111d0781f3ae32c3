/**
 * From the start of the process to the first answered request, beside a bare node:http server.
 * Interleaved; medians.
 */
import { emulatorArgs, startServer } from './server-process.js'
import { median, spread } from './statistics.js'

const ROUNDS = Number(process.env.ROUNDS ?? 25)

async function timeToFirstAnswer(args: readonly string[]): Promise<number> {
  const start = performance.now()
  const server = await startServer(args)
  const response = await fetch(`${server.url}/health`, { headers: { authorization: 'Bearer k' } })
  await response.text()
  const took = performance.now() - start
  await server.stop()
  return took
}

const bare = ['test/bench/bare-server.mjs']
const failing = [...emulatorArgs, '--scenario', 'failing-job']
const times: { bare: number[]; ours: number[] } = { bare: [], ours: [] }
await timeToFirstAnswer(bare)
for (let round = 0; round < ROUNDS; round++) {
  times.bare.push(await timeToFirstAnswer(bare))
  times.ours.push(await timeToFirstAnswer(failing))
}
const ratios = times.ours.map((time, round) => time / times.bare[round]!)
console.log(`Node ${process.version}, ${ROUNDS} rounds`)
console.log(`bare node:http   ${median(times.bare).toFixed(0)} ms`)
console.log(
  `svtrain-emulator ${median(times.ours).toFixed(0)} ms, ` +
    `${median(ratios).toFixed(2)} ± ${spread(ratios).toFixed(2)} of bare node:http`,
)
