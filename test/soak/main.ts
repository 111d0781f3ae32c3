/**
 * `npm run soak`: runs all kinds of clients with faults, resets and bad receivers for minutes, then
 * kills an emulator repeatedly, then tries odd inputs, and prints a table of the work and the findings.
 * Options: `--minutes`, `--clients`, `--kills`, `--count` (of inputs), `--seed`, and `--only load|kills|fuzz|hostile|damaged|endurance`.
 * Three only run when they are asked for, with the commands in `dist/`. `hostile` makes `--count` hostile connections to
 * the intercepting proxy. `damaged` makes `--count` starts with damaged files. `endurance` uses one emulator for hours as
 * a team would, and writes a line each minute to the file of `--to`.
 * With `--only fuzz`: `--kind scenarios,fields`, and `--input 17` tries one input of a kind again. The seed decides
 * what each client does and what each input is, but not the timing.
 */
import { parseArgs } from 'node:util'
import { bundlePrograms } from './bundle.js'
import { Damaged } from './damaged.js'
import { Endurance } from './endurance.js'
import { Fuzz } from './fuzz/fuzz.js'
import { kindNames, type KindName } from './fuzz/kind.js'
import { KEPT, Kills } from './kills/kills.js'
import { platformActs } from './kills/platform-acts.js'
import { Hostile } from './hostile.js'
import { invariants, type Finding, type Ledger } from './ledger.js'
import { Soak } from './soak.js'

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

const findings: Finding[] = []

/** Runs a part, prints its findings as they come, and its counts. */
async function play(
  what: string,
  part: { readonly ledger: Ledger },
  run: () => Promise<void>,
): Promise<void> {
  const { ledger } = part
  console.log(`\nNow ${what}, with seed ${seed}.`)
  ledger.found = ({ invariant, text, met }) => {
    progress('')
    console.log(`${invariants[invariant]}. Not so (first: ${met}):\n  ${text}`)
  }
  await run()
  progress('')
  console.table(Object.fromEntries([...ledger.counts].sort(([a], [b]) => (a < b ? -1 : 1))))
  findings.push(...ledger.findings)
}

if (isWanted('load')) {
  const soak = new Soak({ minutes, clients, seed, progress })
  await play(`${clients} clients`, soak, () => soak.run())
  const used = soak.memory.map((bytes) => (bytes / 2 ** 20).toFixed(1))
  console.log(`MB after each round: ${used.join(' ')}`)
}

if (isWanted('kills')) {
  const bundle = await bundlePrograms(KEPT)
  const all = new Kills({ kills, seed, progress })
  await play(`${kills} kills`, all, () => all.run(bundle))
  const platform = new Kills({ kills, seed, acts: platformActs, progress })
  const where = 'in the middle of uploads, commits and moves of aliases'
  await play(`${kills} kills ${where}`, platform, () => platform.run(bundle))
  bundle.remove()
}

if (only === 'hostile') {
  const hostile = new Hostile({ count, seed, progress })
  await play(`${count} hostile connections`, hostile, () => hostile.run())
}

if (only === 'damaged') {
  const damaged = new Damaged({ count, seed, progress })
  await play(`${count} starts with damaged files`, damaged, () => damaged.run())
}

if (only === 'endurance') {
  const endurance = new Endurance({ minutes, seed, to, progress: (line) => console.log(line) })
  await play(`${minutes} minutes of one emulator`, endurance, () => endurance.run())
}

const input = values.input === undefined ? undefined : Number(values.input)
const fuzz = new Fuzz({
  count,
  seed,
  kinds,
  input,
  progress,
  found({ again, error, input: least }) {
    progress('')
    const shown = JSON.stringify(least ?? null).slice(0, 4000)
    console.log(`\n${error}\n  The input: ${shown}\n  Again: ${again}`)
  },
})
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

for (const { invariant, text, met, times } of findings) {
  console.log(`\n${invariants[invariant]}. Not so, ${times} times (first: ${met}):\n  ${text}`)
}
const again = `npm run soak -- ${only === undefined ? '' : `--only ${only} `}--minutes ${minutes} --clients ${clients} --kills ${kills} --count ${count} --seed ${seed}`
const all = findings.length + fuzz.findings.length
console.log(all === 0 ? '\nNothing found.' : `\n${all} found by: ${again}`)
process.exitCode = all === 0 ? 0 : 1
