import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  createEmulator,
  loadScenario,
  ScenarioError,
  type ScenarioInput,
} from '../../../src/index.js'
import { parseScenario } from '../../../src/service/scenario/scenario-yaml.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { clientOf } from '../../support/api-client.js'
import { chat } from '../../support/trainer.js'

/** The error message of a scenario, or undefined if it is valid. */
function refusalOf(read: () => unknown): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(ScenarioError)
    return (error as Error).message
  }
}

/** As many of one thing. */
function many<Thing>(count: number, thing: Thing): Thing[] {
  return Array.from({ length: count }, () => thing)
}

describe('a scenario that would run forever', () => {
  const steps = (step: object): object => ({
    jobs: [{ timeline: [{ event: 'training_started' }, step, { event: 'training_ended' }] }],
  })
  const curve = (formula: string): object =>
    steps({ event: 'gradient_step', metrics: { loss: { curve: 'formula', formula } } })
  const hook = { name: 'w', url: 'http://127.0.0.1:9/' }
  const hooked = (more: object): object => ({ webhooks: [{ ...hook, ...more }] })
  const failing = (headers: object): object => ({
    faults: [{ fault: 'status', status: 503, headers }],
  })
  const model = { project: 'p', name: 'm', base_model: 'b' }
  const matching = (pattern: string): object => ({
    chat: { rules: [{ match: { user: { matches: pattern } }, answer: 'a' }] },
  })
  const automation = (more: object): object => ({
    webhooks: [hook],
    automations: [{ name: 'a', webhook: 'w', event: 'ADD_ARTIFACT_ALIAS', ...more }],
  })

  it.each<[string, object]>([
    ['a million billion steps', steps({ event: 'gradient_step', count: 1e15 })],
    ['an endless duration', steps({ event: 'pause', for: `${'9'.repeat(400)}d` })],
    ['a billion sequences', { sft: { sequences: 1e9 } }],
    ['a billion arrivals', { faults: [{ fault: 'page_arrivals', items: 1e9 }] }],
    ['a storm of a billion', hooked({ adversary: [{ do: 'storm', times: 1e9 }] })],
    ['a billion duplicates', hooked({ adversary: [{ do: 'duplicate', times: 1e9 }] })],
    ['100,000 retries', hooked({ retries: many(100_000, '0') })],
    ['a huge formula', curve('('.repeat(100_000))],
    ['a formula that calls', curve('constructor(step)')],
    ['a huge expression', matching('(?:'.repeat(200_000))],
    ['an expression of billions', matching('((a{999}){999}){999}')],
    ['an expression of an alias', automation({ alias: '(a{999}){999}' })],
    ['2,000 webhooks', { webhooks: many(2000, hook) }],
    ['a million base models', { base_models: many(1_000_000, 'm') }],
    ['20,000 models', { models: many(20_000, model) }],
    ['20,000 rules of chats', { chat: { rules: many(20_000, { answer: 'a' }) } }],
    ['a header in a header', { faults: [{ fault: 'content_type', content_type: 'a\r\nX-B: c' }] }],
    ['a name of a header', failing({ 'a b': 'c' })],
    ['a second length', failing({ 'Content-Length': '1' })],
    ['a header in a signature', hooked({ signature: { prefix: 'a\r\nX-B: c' } })],
    ['keys that are none', JSON.parse('{"__proto__": {"a": 1}, "constructor": 1}') as object],
  ])('is refused: %s', (_name, parts) => {
    const input = { name: 'mine', ...parts }
    if (Object.hasOwn(parts, '__proto__'))
      Object.defineProperty(input, '__proto__', { value: 1, enumerable: true })
    expect(refusalOf(() => createEmulator({ scenario: input as ScenarioInput }))).toMatch(
      /expected|unknown|at most/,
    )
  })

  it('is refused soon, with the first keys, if it has 100,000 unknown keys', () => {
    const keys = Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 1])
    const scenario = { name: 'a', ...(Object.fromEntries(keys) as object) }
    const refusal = refusalOf(() => createEmulator({ scenario }))
    expect(refusal).toMatch('unknown key "k0"')
    expect(refusal!.split('\n').length).toBeLessThan(200)
    // A text of that size is not parsed. One of the largest size that is has the same answer.
    const lines = Array.from({ length: 33_000 }, (_, index) => `k${index}: 1\n`)
    const said = refusalOf(() => parseScenario(`name: a\n${lines.join('')}`, 'mine.yaml'))
    expect(said).toMatch('unknown key "k0"')
    expect(said!.split('\n').length).toBeLessThan(200)
  })

  it.each<[string, unknown]>([
    ['a bigint', 1n],
    ['a symbol', Symbol('a')],
    ['what is nested too deeply', Array.from({ length: 5000 }).reduce((inner) => [inner], 1)],
  ])('is refused in a place of any values: %s', (_name, value) => {
    const input = { name: 'mine', ...steps({ event: 'training_started', data: { note: value } }) }
    expect(refusalOf(() => createEmulator({ scenario: input as ScenarioInput }))).toMatch(
      /jobs\[0\]\.timeline\[1\]\.data\.note.*expected/,
    )
  })

  it('is accepted if only its times are long', async () => {
    const scenario = {
      name: 'slow',
      ...steps({ event: 'gradient_step', count: 5, every: '36500d' }),
    }
    await using emulator = createEmulator({ scenario: scenario as ScenarioInput, clock: 'manual' })
    const job = await emulator.jobs.start({})
    for (let century = 0; century < 100; century++) emulator.clock.advance('36500d')
    emulator.clock.advance(1e300)
    expect(new Date(emulator.clock.now()).toISOString()).toBe('9999-12-31T00:00:00.000Z')
    expect(emulator.job(job).status).toBe('ended')
  })

  it.each(['(a+)+$', '(a|aa)+$', '(.*a){20}$'])(
    'is matched in linear time with %s',
    async (pattern) => {
      const scenario = { name: 'mine', ...matching(pattern) } as ScenarioInput
      await using emulator = createEmulator({ scenario })
      const answer = await chat(clientOf(emulator), `${'a'.repeat(20_000)}!`)
      expect(answer.status).toBe(200)
    },
  )

  it('is shown quickly, however long it is', async () => {
    const models = Array.from({ length: 3000 }, (_, index) => {
      return { project: 'p', name: `m${index}`, base_model: 'b' }
    })
    await using emulator = createEmulator({ scenario: { name: 'long', models } })
    const url = new URL('/_emulator/scenario', emulator.trainingUrl)
    expect(((await (await emulator.fetch(url)).json()) as { yaml: string }).yaml).toContain('m2999')
  })
})

describe('the files that a file extends', () => {
  it('can be anywhere, but cannot form a cycle', async () => {
    const folder = temporaryFolder()
    const path = (name: string): string => join(folder, name)
    await writeFile(path('a.yaml'), 'name: a\nextends: ./b.yaml\n')
    await writeFile(path('b.yaml'), 'name: b\nextends: ./link.yaml\n')
    await symlink(path('a.yaml'), path('link.yaml'))
    await expect(loadScenario(path('a.yaml'))).rejects.toThrow('extends itself')
  })

  it('cannot be read through the control API', async () => {
    await using emulator = createEmulator()
    const post = (path: string, scenario: unknown): Promise<Response> => {
      const body = JSON.stringify({ scenario })
      return emulator.fetch(new URL(path, emulator.trainingUrl), { method: 'POST', body })
    }
    const named = await post('/_emulator/reset', import.meta.filename)
    expect(await named.text()).toContain('No call reads a file')
    for (const parent of ['/etc/passwd', '../../etc/passwd', 'file:///etc/passwd', './a.ts']) {
      const answer = await post('/_emulator/scenario', { name: 'a', extends: parent })
      expect(answer.status).toBe(400)
      expect(await answer.text()).toContain('which only a file can extend')
    }
  })
})
