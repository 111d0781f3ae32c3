/**
 * `npm run soak`: all kinds of clients, faults, resets and bad receivers for minutes, and then a table
 * of what was done and what was found. `--minutes`, `--clients`, `--seed`. The seed decides what each
 * client chooses; how they meet is never the same again.
 */
import { parseArgs } from 'node:util'
import { invariants } from './ledger.js'
import { Soak } from './soak.js'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    clients: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
  },
})
const [minutes, clients, seed] = [values.minutes, values.clients, values.seed].map(Number)
const progress = (line: string): void => {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${line}`)
  else if (line !== '') console.log(line)
}

const soak = new Soak({ minutes: minutes!, clients: clients!, seed: seed!, progress })
soak.ledger.found = ({ invariant, text, met }) => {
  progress('')
  console.log(`${invariants[invariant]}. Not so (first: ${met}):\n  ${text}`)
}
await soak.run()

const { counts, findings } = soak.ledger
progress('')
console.table(Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))))
console.log(
  `MB after each round: ${soak.memory.map((used) => (used / 2 ** 20).toFixed(1)).join(' ')}`,
)
for (const { invariant, text, met, times } of findings) {
  console.log(`\n${invariants[invariant]}. Not so, ${times} times (first: ${met}):\n  ${text}`)
}
const again = `npm run soak -- --minutes ${minutes} --clients ${clients} --seed ${seed}`
console.log(findings.length === 0 ? '\nNothing found.' : `\n${findings.length} found by: ${again}`)
process.exitCode = findings.length === 0 ? 0 : 1
