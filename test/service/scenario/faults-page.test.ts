import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { builtInScenarioNames } from '../../../src/service/scenario/built-in-scenarios.js'
import type { FaultInput } from '../../../src/service/scenario/scenario.js'
import { createEmulator } from '../../../src/index.js'

const page = readFileSync(join(import.meta.dirname, '../../../docs/how-to/faults.md'), 'utf8')

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
