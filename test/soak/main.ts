/**
 * `npm run soak`: runs all kinds of clients with faults, resets and bad receivers for minutes, then
 * kills an emulator repeatedly, then tries odd inputs, and prints a table of the work and the findings.
 * Options: `--minutes`, `--clients`, `--kills`, `--count` (of inputs), `--seed`, and `--only load|kills|fuzz|strain|hostile|damaged|endurance`.
 * Four only run when they are asked for, with the commands in `dist/`. `strain` sends rotating keys, long secrets, and
 * what is refused. `hostile` makes `--count` hostile connections to the intercepting proxy. `damaged` makes `--count` starts with damaged files. `endurance` uses one emulator for hours as a team would, and writes a line each minute to the file
 * of `--to`.
 * With `--only fuzz`: `--kind scenarios,fields`, and `--input 17` tries one input of a kind again. The seed decides
 * what each client does and what each input is, but not the timing.
 */
import { parseArgs } from 'node:util'
import { bundlePrograms } from './bundle.js'
import { Damaged } from './damaged.js'
import { Endurance } from './endurance.js'
import { Fuzz, type FuzzFinding } from './fuzz/fuzz.js'
import { kindNames, type KindName } from './fuzz/kind.js'
import { KEPT, Kills } from './kills/kills.js'
import { platformActs } from './kills/platform-acts.js'
import { Hostile } from './hostile.js'
import { invariants, type Ledger } from './ledger.js'
import { Soak } from './soak.js'
import { Strain } from './strain.js'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    clients: { type: 'string', default: '200' },
    kills: { type: 'string', default: '50' },
    count: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    kind: { type: 'string', default: kindNames.join(',') },
    input: { type: 'string' },
    to: { type: 'string', default: 'endurance.txt' },
  },
})
const { only, kind, to } = values
const { minutes, clients, kills, count, seed } = Object.fromEntries(
  Object.entries(values).map(([name, value]) => [name, Number(value)]),
) as Record<keyof typeof values, number>
const kinds = kind.split(',').map((name): KindName => {
  const known = kindNames.find((each) => each === name)
  if (!known) throw new Error(`There is no kind "${name}". There are ${kindNames.join(', ')}.`)
  return known
})
const isWanted = (part: 'load' | 'kills' | 'fuzz'): boolean => only === undefined || only === part
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

const ledgers: Ledger[] = []
if (isWanted('load')) {
  const soak = new Soak({ minutes, clients, seed, progress })
  ledgers.push(soak.ledger)
  tellOf(soak.ledger)
  await soak.run()
  table(soak.ledger)
  console.log(
    `MB after each round: ${soak.memory.map((used) => (used / 2 ** 20).toFixed(1)).join(' ')}`,
  )
}

if (isWanted('kills')) {
  const killing = new Kills({ kills, seed, progress })
  ledgers.push(killing.ledger)
  console.log(`\nNow ${kills} kills, with seed ${seed}.`)
  tellOf(killing.ledger)
  const bundle = await bundlePrograms(KEPT)
  await killing.run(bundle)
  table(killing.ledger)
  const platform = new Kills({ kills, seed, acts: platformActs, progress })
  ledgers.push(platform.ledger)
  console.log(`\nNow ${kills} kills in the middle of uploads, commits and moves of aliases.`)
  tellOf(platform.ledger)
  await platform.run(bundle)
  bundle.remove()
  table(platform.ledger)
}

if (only === 'strain') {
  const strain = new Strain({ minutes, seed, progress })
  ledgers.push(strain.ledger)
  tellOf(strain.ledger)
  const rows = await strain.run()
  progress('')
  console.table(rows)
}

if (only === 'hostile') {
  const hostile = new Hostile({ count, seed, progress })
  ledgers.push(hostile.ledger)
  console.log(`\nNow ${count} hostile connections, with seed ${seed}.`)
  tellOf(hostile.ledger)
  await hostile.run()
  table(hostile.ledger)
}

if (only === 'damaged') {
  const damaged = new Damaged({ count, seed, progress })
  ledgers.push(damaged.ledger)
  console.log(`\nNow ${count} starts with damaged files, with seed ${seed}.`)
  tellOf(damaged.ledger)
  await damaged.run()
  table(damaged.ledger)
}

if (only === 'endurance') {
  const endurance = new Endurance({ minutes, seed, to, progress: (line) => console.log(line) })
  ledgers.push(endurance.ledger)
  tellOf(endurance.ledger)
  await endurance.run()
  table(endurance.ledger)
}

const input = values.input === undefined ? undefined : Number(values.input)
const found = ({ again, error, input: least }: FuzzFinding): void => {
  progress('')
  console.log(
    `\n${error}\n  The input: ${JSON.stringify(least ?? null).slice(0, 4000)}\n  Again: ${again}`,
  )
}
const fuzz = new Fuzz({ count, seed, kinds, input, progress, found })
if (isWanted('fuzz')) {
  console.log(
    `\nNow ${input === undefined ? `${count} odd inputs` : `input ${input}`}, with seed ${seed}.`,
  )
  await fuzz.run()
  progress('')
  console.table(
    Object.fromEntries(
      kinds.map((each) => {
        const accepted = fuzz.accepted.get(each) ?? 0
        return [each, { accepted, refused: fuzz.refused.get(each) ?? 0 }]
      }),
    ),
  )
}

const findings = ledgers.flatMap((ledger) => ledger.findings)
for (const { invariant, text, met, times } of findings) {
  console.log(`\n${invariants[invariant]}. Not so, ${times} times (first: ${met}):\n  ${text}`)
}
const again = `npm run soak -- ${only === undefined ? '' : `--only ${only} `}--minutes ${minutes} --clients ${clients} --kills ${kills} --count ${count} --seed ${seed}`
const all = findings.length + fuzz.findings.length
console.log(all === 0 ? '\nNothing found.' : `\n${all} found by: ${again}`)
process.exitCode = all === 0 ? 0 : 1
