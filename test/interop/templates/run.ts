import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { tokenizersPython } from '../tokenizers/command.js'
import { combinations } from './combinations.js'
import { outcomeOf, readResults, RESULTS, VARIABLES, type Result } from './results.js'

/**
 * Renders small templates with Jinja2, set up by the library of chat templates, and compares them with the emulator. A
 * template is equal, or it is refused when it is read, or it fails when it is rendered. With `--update`, writes what
 * the quick tests expect.
 */

const { values } = parseArgs({ options: { update: { type: 'boolean', default: false } } })

const command = await tokenizersPython()

/** What Jinja2 does with templates. */
async function jinjaOf(templates: readonly string[]): Promise<Result['jinja'][]> {
  const program = join(import.meta.dirname, 'reference.py')
  const running = promisify(execFile)(command, [program], { maxBuffer: 1e9 })
  const lines = [VARIABLES, ...templates].map((each) => `${JSON.stringify(each)}\n`)
  running.child.stdin!.end(lines.join(''))
  const { stdout } = await running
  const results = stdout.trim().split('\n')
  return results.map((line) => JSON.parse(line) as Result['jinja'])
}

const known = readResults()
const templates = [...known.map(({ template }) => template), ...combinations()]
const references = await jinjaOf(templates)
const all = templates.map((template, index): Result => {
  const jinja = references[index]!
  return { template, jinja, emulator: outcomeOf(template, jinja) }
})
const results = all.slice(0, known.length)
const combined = all.slice(known.length)
const different = all.filter(({ emulator }) => emulator.kind === 'different')
for (const result of different) process.stdout.write(`${JSON.stringify(result)}\n`)
for (const { template, emulator } of results) {
  if (emulator.kind !== 'refused' && emulator.kind !== 'fails') continue
  process.stdout.write(`${emulator.kind}: ${emulator.message}  ${JSON.stringify(template)}\n`)
}

process.stdout.write(
  `\n${'templates'.padEnd(40)} ${results.length} small, ${combined.length} combined\n`,
)
for (const [kind, title] of [
  ['equal', 'equal'],
  ['both fail', 'fail in both'],
  ['refused', 'refused when they are read'],
  ['fails', 'fail only here, when they are rendered'],
  ['different', 'different'],
] as const) {
  const count = (of: readonly Result[]): number =>
    of.filter(({ emulator }) => emulator.kind === kind).length
  process.stdout.write(`${title.padEnd(40)} ${count(results)} and ${count(combined)}\n`)
}
if (values.update) writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`)
const isKnown = values.update || JSON.stringify(known) === JSON.stringify(results)
if (!isKnown) process.stdout.write(`${RESULTS} is not up to date; add --update\n`)
if (different.length > 0 || !isKnown) process.exitCode = 1
