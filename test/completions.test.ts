import { writeFileSync } from 'node:fs'
import { API } from 'typescript/unstable/sync'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { operationNames } from '../src/service/contract/operation-names.js'
import { builtInScenarioNames } from '../src/service/scenario/built-in-scenarios.js'
import { eventTypes } from '../src/service/scenario/event-types.js'
import { assertBuilt } from './cli/command.js'
import { linkPackages } from './support/project.js'
import { temporaryFolder } from './support/temporary-folder.js'

/** What an editor completes in a project that has the package installed. */

beforeAll(assertBuilt)

/** What an editor offers at each mark `|` of a module. */
async function completions(marked: string): Promise<string[][]> {
  const folder = temporaryFolder()
  await linkPackages(folder, ['vitest', '@types/node'])
  const compilerOptions = { module: 'nodenext', target: 'es2023', strict: true, types: ['node'] }
  const [config, file] = [`${folder}/tsconfig.json`, `${folder}/file.ts`]
  writeFileSync(`${folder}/package.json`, '{ "type": "module" }')
  writeFileSync(config, JSON.stringify({ compilerOptions }))
  writeFileSync(file, marked.replaceAll('|', ''))
  const api = new API({ cwd: folder })
  onTestFinished(() => api.close())
  const { checker } = api.updateSnapshot({ openProjects: [config] }).getProject(config)!
  return Array.from(marked.matchAll(/\|/g), ({ index }, marks) => {
    const { entries = [] } = checker.getCompletionsAtPosition(file, index - marks) ?? {}
    return entries.map(({ name }) => name.replace(/\?$/, ''))
  })
}

const EMULATOR = `
import { createEmulator, defineScenario } from 'svtrain-emulator'
import { createClient } from 'svtrain-emulator/client'
const emulator = createEmulator()
const client = createClient({ url: 'http://127.0.0.1:4600' })
const sink = await emulator.createSink()
`

it('editors complete names in code', { timeout: 120_000 }, async () => {
  const places: readonly [code: string, names: readonly string[]][] = [
    ["createEmulator({ scenario: '|' })", builtInScenarioNames],
    ["emulator.reset('|')", builtInScenarioNames],
    ["emulator.follow('|')", builtInScenarioNames],
    ["emulator.revise('|')", builtInScenarioNames],
    ["client.reset('|')", builtInScenarioNames],
    ["client.scenarios.use('|')", builtInScenarioNames],
    ["defineScenario({ name: 'a', extends: '|' })", builtInScenarioNames],
    ["emulator.requests.find('|')", operationNames],
    ["emulator.requests.count({ operation: '|' })", operationNames],
    ["emulator.requests.waitFor('|')", operationNames],
    ["emulator.faults.add({ fault: 'hang', match: { operation: '|' } })", operationNames],
    [
      "defineScenario({ name: 'a', faults: [{ fault: 'hang', match: { operation: ['|'] } }] })",
      operationNames,
    ],
    ["client.faults.add({ fault: 'hang', match: { operation: '|' } })", operationNames],
    ["emulator.trigger('|')", eventTypes],
    ["emulator.webhooks.trigger('|')", eventTypes],
    ["client.trigger('|')", eventTypes],
    ["sink.waitFor({ event: '|' })", eventTypes],
    ["emulator.trigger('RUN_STATE', { state: '|' })", ['running', 'finished', 'failed']],
    ["emulator.faults.add({ fault: '|' })", ['status', 'hang', 'page_overlap']],
    ["emulator.faults.add({ fault: 'delay', | })", ['delay', 'match', 'probability']],
    [
      "defineScenario({ name: 'a', timeline: [{ at: '1s', do: '|' }] })",
      ['stall_job', 'open_fault'],
    ],
    ["defineScenario({ name: 'a', jobs: [{ timeline: [{ event: '|' }] }] })", ['gradient_step']],
    ["createEmulator({ clock: '|' })", ['auto', 'manual', 'instant', 'real']],
    ['emulator.assertClientChecks({ | })', ['pollsPastTheEnd']],
  ]
  const module = EMULATOR + places.map(([code]) => `${code}\n`).join('')
  const offered = await completions(module)
  for (const [index, [code, names]] of places.entries()) {
    const found = offered[index]
    expect({ code, found }).toEqual({ code, found: expect.arrayContaining([...names]) as string[] })
  }
})

it('editors complete names in matchers', { timeout: 120_000 }, async () => {
  const module = `
import { expect, test } from 'svtrain-emulator/vitest'
test('a', ({ emulator, sink }) => {
  expect(emulator).toHaveReceivedRequest('|')
  expect(sink).toHaveReceivedWebhook({ event: '|' })
})
test.override({ emulatorOptions: { scenario: '|' } })
`
  const [requests, webhooks, scenarios] = await completions(module)
  expect(requests).toEqual(expect.arrayContaining([...operationNames]))
  expect(webhooks).toEqual(expect.arrayContaining([...eventTypes]))
  expect(scenarios).toEqual(expect.arrayContaining([...builtInScenarioNames]))
})
