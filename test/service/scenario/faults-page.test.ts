import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { builtInScenarioNames } from '../../../src/service/scenario/built-in-scenarios.js'
import { parseScenario } from '../../../src/service/scenario/scenario-yaml.js'
import type { FaultInput } from '../../../src/service/scenario/scenario.js'
import { createEmulator } from '../../../src/index.js'

const page = readFileSync(join(import.meta.dirname, '../../../docs/how-to/faults.md'), 'utf8')
const blocks = (language: string): string[] => {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(
    ([, code]) => code!,
  )
}

it('names scenarios that exist', () => {
  const cells = [...page.matchAll(/^\|[^|\n]*\|([^|\n]*)\|[^|\n]*\|$/gm)].map(([, cell]) => cell!)
  const names = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!))
  expect(names.length).toBeGreaterThan(20)
  expect(
    names.filter((name) => !(builtInScenarioNames as readonly string[]).includes(name)),
  ).toEqual([])
})

it('has faults that can be added', () => {
  const faults = [...page.matchAll(/\| `(\{ fault: .*?\})` +\|$/gm)].map(([, fault]) => fault!)
  expect(faults.length).toBeGreaterThan(8)
  const emulator = createEmulator()
  for (const fault of faults) emulator.faults.add(parse(fault) as FaultInput)
})

it('has a scenario and a call that can be used', async () => {
  for (const example of blocks('yaml')) parseScenario(example, 'faults.md')
  const curl = blocks('sh').find((block) => block.startsWith('curl'))!
  const [, path, body] = /4600(\/\S+) -d '(.*)'/.exec(curl)!
  await using emulator = createEmulator()
  const url = new URL(path!, emulator.trainingUrl)
  const headers = { 'content-type': 'application/json' }
  const { status } = await emulator.fetch(url, { method: 'POST', headers, body: body! })
  expect(status).toBe(200)
})
