/** Checks scenarios/*.yaml and writes them out as the JSON that the source imports. */
import { existsSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

const target = join(import.meta.dirname, '..', 'src', 'built-in-scenarios.generated.json')
// What checks them also knows those that are built in, which in a new clone are none.
if (!existsSync(target)) await writeFile(target, '{}')
const { readScenarioFile } = await import('../src/scenario-file.js')

const folder = join(import.meta.dirname, '..', 'scenarios')
const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml')).sort()
const scenarios: Record<string, unknown> = {}
for (const file of files) {
  const scenario = await readScenarioFile(join(folder, file))
  if (scenario.name !== basename(file, '.yaml')) {
    throw new Error(`scenarios/${file} calls itself "${scenario.name}"`)
  }
  scenarios[scenario.name] = scenario
}
await writeFile(target, `${JSON.stringify(scenarios, null, 2)}\n`)
