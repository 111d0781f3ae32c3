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
import { bundlePrograms, type Bundle } from './bundle.js'
import { Damaged } from './damaged.js'
import { Endurance } from './endurance.js'
import { Fuzz, FUZZED } from './fuzz/fuzz.js'
import { kindNames, type KindName } from './fuzz/kind.js'
import { KEPT, Kills } from './kills/kills.js'
import { platformActs } from './kills/platform-acts.js'
import { Hostile } from './hostile.js'
import { invariants, type Finding, type Ledger } from './ledger.js'
import { SERVED } from './served-process.js'
import { Soak } from './soak.js'

/** A program that tries an emulator. */
interface Trial {
  readonly ledger: Ledger
  run(bundle: Bundle): Promise<void>
}

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
const progress = (line: string): void => {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${line}`)
  else if (line !== '') console.log(line)
}

const input = values.input === undefined ? undefined : Number(values.input)
const inputs = input === undefined ? `${count} odd inputs` : `input ${input}`
const where = 'in the middle of uploads, commits and moves of aliases'

/** What can be played. All but the first three only run when they are asked for. */
const trials: Readonly<Record<string, () => [what: string, trial: Trial][]>> = {
  load: () => [[`${clients} clients`, new Soak({ minutes, clients, seed, progress })]],
  kills: () => [
    [`${kills} kills`, new Kills({ kills, seed, progress })],
    [`${kills} kills ${where}`, new Kills({ kills, seed, acts: platformActs, progress })],
  ],
  fuzz: () => [[inputs, new Fuzz({ count, seed, kinds, input, progress })]],
  hostile: () => [[`${count} hostile connections`, new Hostile({ count, seed, progress })]],
  damaged: () => [[`${count} starts with damaged files`, new Damaged({ count, seed, progress })]],
  endurance: () => [
    [
      `${minutes} minutes of one emulator`,
      new Endurance({ minutes, seed, to, progress: (line) => console.log(line) }),
    ],
  ],
}

/** Runs a part, prints its findings as they come, and its counts. */
async function play(what: string, trial: Trial): Promise<readonly Finding[]> {
  const { ledger } = trial
  console.log(`\nNow ${what}, with seed ${seed}.`)
  ledger.found = ({ invariant, text, met }) => {
    progress('')
    console.log(`${invariants[invariant]}. Not so (first: ${met}):\n  ${text}`)
  }
  await trial.run(bundle)
  progress('')
  console.table(Object.fromEntries([...ledger.counts].sort(([a], [b]) => (a < b ? -1 : 1))))
  return ledger.findings
}

const chosen = only === undefined ? ['load', 'kills', 'fuzz'] : [only]
const played = chosen.map((name) => {
  const make = trials[name]
  if (!make) throw new Error(`There is no "${name}". There are ${Object.keys(trials).join(', ')}.`)
  return make
})
const bundle = await bundlePrograms(SERVED, KEPT, FUZZED)
const findings: Finding[] = []
try {
  for (const [what, trial] of played.flatMap((make) => make())) {
    findings.push(...(await play(what, trial)))
  }
} finally {
  bundle.remove()
}
for (const { invariant, text, met, times } of findings) {
  console.log(`\n${invariants[invariant]}. Not so, ${times} times (first: ${met}):\n  ${text}`)
}
const again = `npm run soak -- ${only === undefined ? '' : `--only ${only} `}--minutes ${minutes} --clients ${clients} --kills ${kills} --count ${count} --seed ${seed}`
console.log(findings.length === 0 ? '\nNothing found.' : `\n${findings.length} found by: ${again}`)
process.exitCode = findings.length === 0 ? 0 : 1
