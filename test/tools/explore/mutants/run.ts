// Explores the mutants, and the programs without a mistake, and prints what was found:
//
//   npm run explore:mutants -- [--only <operator>] [--seeds 20] [--saved <file>]
//
// Results are saved line by line in the file, so that a run that was ended goes on.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { exploreProgram, hunt, RUNS, type Hunt } from './hunt.js'
import { keyOf, mutants, type Mutant } from './mistakes.js'
import { programs } from './programs.js'
import { tableOf } from './table.js'

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

const results: { mutant: Mutant; result: Hunt }[] = []
for (const mutant of mutants.filter(isChosen)) {
  const result = await once(keyOf(mutant), () => hunt(mutant))
  results.push({ mutant, result })
  const { found, run, scenario, title, passed } = result
  const said = found ? `run ${run}, ${scenario}: ${title}` : `missed in ${passed} runs`
  process.stderr.write(`${mutant.operator} in ${mutant.program}: ${said}\n`)
}
process.stdout.write(`${tableOf(results)}\n`)

const seeds = values.only === undefined ? Number(values.seeds) : 0
const alarms: string[] = []
let runs = 0
for (const program of programs) {
  for (let seed = 1; seed <= seeds; seed++) {
    const { count, titles } = await once(`${program} ${seed}`, async () => {
      const report = await exploreProgram(program, { seed })
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
const share = results.filter(({ result }) => result.found).length / results.length
process.exitCode = share < 0.8 || alarms.length > 0 ? 1 : 0
