import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { createEmulator as createBrowserEmulator } from '../../../src/browser.js'
import { builtInScenarios, createEmulator, loadScenario } from '../../../src/index.js'
import { assertBuilt } from '../../cli/command.js'
import { temporaryFolderOfSuite } from '../../support/temporary-folder.js'

const folder = temporaryFolderOfSuite()

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

describe('a scenario that extends another', () => {
  it('has its own values, and else those of the other one', async () => {
    file(
      'parent.yaml',
      `
name: parent
description: not the child's
seed: 7
auth: { missingStatus: 403, open: [health] }
base_models: [a/b]
models: [{ project: p, name: first, base_model: a/b }]
faults: [{ name: gateway, fault: status, status: 503 }]
jobs: [{ timeline: [{ event: training_ended }] }]
chat: { concurrency: 2, context_window: 4096, rules: [{ answer: A parent speaks. }] }
checks: { equal_rewards: fail, mixed_prompts: fail }
automation_limits: { cooldown: 5m }
`,
    )
    const child = file(
      'child.yaml',
      `
name: child
extends: ./parent.yaml
auth: { open: [] }
models: [{ project: p, name: second, base_model: a/b }]
timeline: [{ at: 1s, do: open_fault, fault: gateway }]
jobs: [{ match: { kind: sft }, timeline: [{ event: never }] }]
chat: { concurrency: 5, rules: [{ match: { turn: 1 }, answer: A child speaks. }] }
checks: { mixed_prompts: false }
automation_limits: { rate: { firings: 10, within: 1h } }
`,
    )
    const scenario = await loadScenario(child)
    expect(scenario).toMatchObject({
      name: 'child',
      description: '',
      seed: 7,
      auth: { missingStatus: 403, open: [] },
      base_models: ['a/b'],
      models: [{ name: 'first' }, { name: 'second' }],
      jobs: [{ match: { kind: 'sft' } }, { timeline: [{ event: 'training_ended' }] }],
      checks: { equal_rewards: 'fail', mixed_prompts: false },
      automation_limits: { cooldown: '5m', rate: { firings: 10, within: '1h' } },
      chat: {
        concurrency: 5,
        context_window: 4096,
        rules: [{ match: { turn: 1 }, answer: 'A child speaks.' }, { answer: 'A parent speaks.' }],
      },
    })
    createEmulator({ scenario })
    // The same in one step, by the path or the URL of the file.
    for (const named of [
      child,
      pathToFileURL(child),
      pathToFileURL(child).href,
      relative('', child),
    ]) {
      expect(createEmulator({ scenario: named }).engine.scenario).toMatchObject(scenario)
    }
  })

  it.each([
    ['./none.yaml', 'Failed to read the scenario none.yaml: there is no such file in '],
    ['file:///none.yaml', 'there is no such file in '],
    [tmpdir(), 'it is a folder.'],
    [
      import.meta.filename,
      'is a module, which takes time to load. Load it first: scenario: await loadScenario(',
    ],
  ])('%s cannot be given in code, and the error says why', (path, why) => {
    expect(() => createEmulator({ scenario: path })).toThrow(why)
    expect(() => createBrowserEmulator({ scenario: path })).toThrow('a browser reads no files')
  })

  it('name the place of a mistake, also if the file is given in code', () => {
    const path = file('broken.yaml', 'name: broken\nseeed: 3\n')
    expect(() => createEmulator({ scenario: path })).toThrow(
      /broken\.yaml:2:1 .*Did you mean "seed"/,
    )
  })

  it('can extend a built-in scenario, also as an object', () => {
    const emulator = createEmulator({ scenario: { name: 'x', extends: 'failing-job', seed: 3 } })
    const failing = builtInScenarios.find(({ name }) => name === 'failing-job')!
    expect(emulator.scenario.jobs).toEqual(failing.jobs)
    expect(emulator.seed).toBe(3)
  })

  it.each([
    [
      'of no known name',
      'name: x\nextends: hapy-path',
      /2:10 extends: Unknown scenario "hapy-path"\. Did you mean "happy-path"/,
    ],
    [
      'of a file that is not there',
      'name: x\nextends: ./none.yaml',
      /none\.yaml: there is no such file/,
    ],
    ['of itself', 'name: x\nextends: ./broken.yaml', /2:10 extends: it extends itself/],
    [
      'with a fault that neither has',
      'name: x\nextends: happy-path\ntimeline: [{ at: 1s, do: open_fault, fault: y }]',
      /3:45 timeline\[0\]\.fault: there is no fault named "y"\. No fault has a name\.$/,
    ],
  ])('%s is refused', async (_name, text, message) => {
    await expect(loadScenario(file('broken.yaml', text))).rejects.toThrow(message)
  })

  it('is refused with the places of its own text, also in a list that follows that of its parent', async () => {
    file(
      'receivers.yaml',
      'name: receivers\nwebhooks: [{ name: a }, { name: b }]\ntimeline: [{ at: 1s, do: stall_job }]',
    )
    const text =
      'name: x\nextends: ./receivers.yaml\nwebhooks: [{ name: b }, { name: c, secret: S }]\n'
    const timeline = 'timeline: [{ at: 1s, do: open_fault, fault: y }]'
    const loaded = loadScenario(file('broken.yaml', text + timeline))
    await expect(loaded).rejects.toThrow(
      /3:44 webhooks\[1\]\.secret: there is no secret .*\n.*4:45 timeline\[0\]\.fault: /,
    )
  })

  it('cannot extend a file if it is an object', () => {
    const scenario = { name: 'x', extends: './mine.yaml' }
    expect(() => createEmulator({ scenario })).toThrow(
      /"\.\/mine\.yaml" is a file, which only a file can extend/,
    )
  })
})

describe('a scenario in TypeScript', () => {
  // In place of `svtrain-emulator`: the built package, because tsx would compile each source again.
  const index = join(import.meta.dirname, '..', '..', '..', 'dist', 'index.js')
  beforeAll(assertBuilt)

  it('can have functions', async () => {
    const path = file(
      'mine.mts',
      `
import { defineScenario } from ${JSON.stringify(index)}
const long = (name: string): boolean => name.length > 5
export default defineScenario({
  name: 'typed',
  jobs: [{ match: (job) => long(job.model), timeline: [{ event: 'never' }] }],
})
`,
    )
    const scenario = await loadScenario(path)
    expect(scenario.name).toBe('typed')
    expect(typeof scenario.jobs![0]!.match).toBe('function')
    createEmulator({ scenario })
  })

  it.each([
    [
      'that is wrong',
      "export default { name: 'x', seed: -1 }",
      /mine2?\.ts.*\n.*seed: expected at least 0, got -1/,
    ],
    [
      'that exports nothing',
      'export const x = 1',
      /has no default export\. It should be a scenario: defineScenario/,
    ],
    ['that fails', "throw new Error('oh no')", /Failed to load the scenario .*: oh no/],
    ['that throws a text', "throw 'oh no'", /Failed to load the scenario .*: oh no/],
    ['that cannot be read', 'export default {', /Failed to load the scenario/],
  ])('%s is refused', async (name, text, message) => {
    const path = file(`${name.replaceAll(' ', '-')}-mine.ts`, text)
    await expect(loadScenario(path)).rejects.toThrow(message)
  })

  it('can be a JavaScript file, and can extend a file', async () => {
    file('base.yaml', 'name: base\nseed: 11')
    const path = file('child.mjs', "export default { name: 'child', extends: './base.yaml' }")
    expect(await loadScenario(path)).toMatchObject({ name: 'child', seed: 11 })
  })
})
