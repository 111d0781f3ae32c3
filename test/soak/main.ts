/**
 * `npm run soak`: runs all kinds of clients with faults, resets and bad receivers for minutes, then
 * kills an emulator repeatedly, and prints a table of the work and the findings. Options: `--minutes`,
 * `--clients`, `--kills`, `--seed`. The seed decides what each client does, but not the timing.
 */
import { parseArgs } from 'node:util'
import { Kills } from './kills/kills.js'
import { invariants, type Ledger } from './ledger.js'
import { Soak } from './soak.js'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    clients: { type: 'string', default: '200' },
    kills: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
  },
})
const { minutes, clients, kills, seed } = Object.fromEntries(
  Object.entries(values).map(([name, value]) => [name, Number(value)]),
) as Record<keyof typeof values, number>
const progress = (line: string): void => {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${line}`)
  else if (line !== '') console.log(line)
}

/** Prints findings as they come. */
function tellOf(ledger: Ledger): void {
  ledger.found = ({ invariant, text, met }) => {
    progress('')
    console.log(`${invariants[invariant]}. Not so (first: ${met}):\n  ${text}`)
  }
}

function table({ counts }: Ledger): void {
  progress('')
  console.table(Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))))
}

const soak = new Soak({ minutes, clients, seed, progress })
tellOf(soak.ledger)
await soak.run()
table(soak.ledger)
console.log(
  `MB after each round: ${soak.memory.map((used) => (used / 2 ** 20).toFixed(1)).join(' ')}`,
)

console.log(`\nNow ${kills} kills, with seed ${seed}.`)
const killing = new Kills({ kills, seed, progress })
tellOf(killing.ledger)
await killing.run()
table(killing.ledger)

const findings = [...soak.ledger.findings, ...killing.ledger.findings]
for (const { invariant, text, met, times } of findings) {
  console.log(`\n${invariants[invariant]}. Not so, ${times} times (first: ${met}):\n  ${text}`)
}
const again = `npm run soak -- --minutes ${minutes} --clients ${clients} --kills ${kills} --seed ${seed}`
console.log(findings.length === 0 ? '\nNothing found.' : `\n${findings.length} found by: ${again}`)
process.exitCode = findings.length === 0 ? 0 : 1
