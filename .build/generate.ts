import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { generated, root } from './stamp.js'

const target = join(root, generated)
const folder = join(root, 'scenarios')

/** Checks scenarios/*.yaml and writes the JSON that the source imports. */
export async function generate(): Promise<void> {
  // The checking code imports that JSON, which a new clone does not have.
  if (!existsSync(target)) replace('{}')
  const { readScenarioFile } = await import('../src/service/scenario/scenario-file.js')
  const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml')).sort()
  const scenarios: Record<string, string> = {}
  for (const file of files) {
    const scenario = await readScenarioFile(join(folder, file))
    if (scenario.name !== basename(file, '.yaml')) {
      throw new Error(
        `scenarios/${file} has the name "${scenario.name}": file and name must be the same`,
      )
    }
    scenarios[scenario.name] = JSON.stringify(scenario)
  }
  const text = `${JSON.stringify(scenarios, null, 2)}\n`
  if (readFileSync(target, 'utf8') !== text) replace(text)
}

/** Replaces the file in one step, so that an interrupted build leaves it complete. */
function replace(text: string): void {
  const temporary = `${target}.${process.pid}.generated.json`
  writeFileSync(temporary, text)
  renameSync(temporary, target)
}
