import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { generated, root } from './stamp.js'
import type { Scenario } from '../src/service/scenario/scenario.js'

const target = join(root, generated)
const folder = join(root, 'scenarios')

/** Checks scenarios/*.yaml and writes the JSON that the source imports. */
export async function generate(): Promise<void> {
  // The checking code imports that JSON, which a new clone does not have.
  if (!existsSync(target)) replace('{}')
  const { readScenarioFile } = await import('../src/service/scenario/scenario-file.js')
  const { DEFAULT_SCENARIO } = await import('../src/service/scenario/built-in-scenarios.js')
  const usual = await readScenarioFile(join(folder, `${DEFAULT_SCENARIO}.yaml`))
  const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml')).sort()
  const scenarios: Record<string, string> = {}
  for (const file of files) {
    const scenario = await readScenarioFile(join(folder, file))
    if (scenario.name !== basename(file, '.yaml')) {
      throw new Error(
        `scenarios/${file} has the name "${scenario.name}": file and name must be the same`,
      )
    }
    scenarios[scenario.name] = textOf(scenario, usual)
  }
  const text = `${JSON.stringify(scenarios, null, 2)}\n`
  if (readFileSync(target, 'utf8') !== text) replace(text)
}

/** Writes a scenario as JSON. A part that the default scenario has as well is null: most scenarios differ in few. */
function textOf(scenario: Scenario, usual: Scenario): string {
  if (scenario.name === usual.name) return JSON.stringify(scenario)
  const parts = Object.entries(scenario).map(([key, part]) => {
    return [key, isDeepStrictEqual(part, usual[key as keyof Scenario]) ? null : part]
  })
  return JSON.stringify(Object.fromEntries(parts))
}

/** Replaces the file in one step, so that an interrupted build leaves it complete. */
function replace(text: string): void {
  const temporary = `${target}.${process.pid}.generated.json`
  writeFileSync(temporary, text)
  renameSync(temporary, target)
}
