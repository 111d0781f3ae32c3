// Explores the mutants, and the programs without a mistake, and prints what was found:
//
//   npm run explore:mutants -- [--only <operator>] [--seeds 20] [--saved <file>]
//
// Results are saved line by line in the file, so that a run that was ended goes on.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { explore } from '../../../../src/explore.js'
import { hunt, optionsFor, RUNS } from './hunt.js'
import { keyOf, mutants, type Mutant } from './mistakes.js'
import { load, programs } from './programs.js'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seeds: { type: 'string', default: '20' },
    saved: { type: 'string' },
  },
})

const saved = new Map<string, unknown>()
if (values.saved !== undefined && existsSync(values.saved)) {
  for (const line of readFileSync(values.saved, 'utf8').trim().split('\n').filter(Boolean)) {
    const { key, result } = JSON.parse(line) as { key: string; result: unknown }
    saved.set(key, result)
  }
}

/** Does a piece of work, unless the file has its result. */
async function once<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
  if (saved.has(key)) return saved.get(key) as Result
  const result = await work()
  if (values.saved !== undefined)
    appendFileSync(values.saved, `${JSON.stringify({ key, result })}\n`)
  return result
}

const isChosen = ({ operator }: Mutant): boolean =>
  values.only === undefined || operator === values.only

const chosen = mutants.filter(isChosen)
let hunted = 0
for (const mutant of chosen) {
  const { found, run, scenario, title, passed, untrue } = await once(keyOf(mutant), () => {
    return hunt(mutant)
  })
  if (found) hunted++
  const said = found
    ? `run ${run}, ${scenario}: ${title}`
    : `missed in ${passed} runs. ${mutant.mistake}`
  const more = untrue.length === 0 ? '' : ` Not counted: ${untrue.join('; ')}.`
  process.stdout.write(`${keyOf(mutant)}: ${said}${more}\n`)
}
const percent = Math.round((100 * hunted) / chosen.length)
process.stdout.write(`${hunted} of ${chosen.length} mutants were found (${percent} %).\n`)

const seeds = values.only === undefined ? Number(values.seeds) : 0
const alarms: string[] = []
let runs = 0
for (const program of programs) {
  for (let seed = 1; seed <= seeds; seed++) {
    const { count, titles } = await once(`${program} ${seed}`, async () => {
      const report = await explore(await load(program), optionsFor(program, { seed }))
      return { count: report.runs.length, titles: report.failures.map(({ title }) => title) }
    })
    runs += count
    alarms.push(...titles.map((title) => `${program}, seed ${seed}: ${title}`))
    process.stderr.write(`${program} with seed ${seed}: ${titles.join('; ') || 'passed'}\n`)
  }
}
if (seeds > 0) {
  process.stdout.write(
    `\n${programs.length} programs without a mistake, ${seeds} seeds, ${RUNS} runs each: ${runs} runs, ${alarms.length} failures.\n`,
  )
  for (const alarm of alarms) process.stdout.write(`  ${alarm}\n`)
}
process.exitCode = hunted < 0.8 * chosen.length || alarms.length > 0 ? 1 : 0
