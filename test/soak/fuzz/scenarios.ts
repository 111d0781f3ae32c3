import * as fc from 'fast-check'
import { stringify } from 'yaml'
import { operations } from '../../../src/compose/control-table.js'
import { createEmulator, type ScenarioInput } from '../../../src/index.js'
import { builtInScenarios } from '../../../src/service/scenario/all-built-in-scenarios.js'
import { checkScenario } from '../../../src/service/scenario/check-scenario.js'
import { scenarioJsonSchema } from '../../../src/service/scenario/scenario-json-schema.js'
import { checkText, parseScenario } from '../../../src/service/scenario/scenario-yaml.js'
import type { InputDraw } from './draws.js'
import { clientOf } from '../../support/api-client.js'
import { ask, readAll } from './read-all.js'
import { chat } from '../../support/trainer.js'
import { valuesOf } from './schema-values.js'
import {
  assertRoundTrip,
  assertSame,
  emptyEmulator,
  emulatorWith,
  send,
  stateOf,
  verdictOf,
} from './look.js'
import type { StartKind, Verdict } from './kind.js'
import { edited, jsonOf, mutated } from './mutations.js'

const schema = scenarioJsonSchema(operations.map(({ id }) => id))
const properties = Object.entries(schema['properties'] as Record<string, object>)
const generated = fc.oneof(
  ...properties.map(([key, each]) => {
    return valuesOf(each as Record<string, unknown>, schema).map((value) => ({
      name: 'mine',
      [key]: value,
    }))
  }),
)
const generatedScenario = () => generated

/** Texts that parsers of YAML have stumbled over. */
const texts: readonly (() => string)[] = [
  () => {
    const names = 'abcdefghi'
    const lines = Array.from(names, (name, index) => {
      const before = index === 0 ? '"lol"' : `*${names[index - 1]!}`
      return `${name}: &${name} [${Array.from({ length: 9 }, () => before).join(', ')}]`
    })
    return `name: bomb\n${lines.join('\n')}\n`
  },
  () => 'name: a\nchat: &a\n  rules: *a\n',
  () => 'name: a\n<<: &a\n  <<: *a\n',
  () => `name: a\njobs: ${'['.repeat(50_000)}`,
  () => `name: a\njobs: ${'{a: '.repeat(20_000)}`,
  () =>
    `name: a\njobs:\n${Array.from({ length: 2000 }, (_, n) => `${' '.repeat(n)}- a:`).join('\n')}`,
  () => `name: a\ndescription: ${'- '.repeat(10_000)}`,
  () => `name: a\ndescription: "${'\\'.repeat(100_001)}"`,
  () => `name: a\n${'&a '.repeat(5000)}b: 1`,
  () => `name: a\ndescription: ${'*a '.repeat(5000)}`,
  () => `? ${'? '.repeat(5000)}a`,
  () => `name: a\n${'# comment\n'.repeat(50_000)}`,
  () => `name: a\ndescription: |\n${' x\n'.repeat(50_000)}`,
  () => `name: a\n${Array.from({ length: 20_000 }, (_, n) => `k${n}: 1`).join('\n')}`,
  () => `name: ${'a'.repeat(1_000_000)}`,
  () => 'name: a\nname: b\n',
  () => '{"name": "a", "name": "b"}',
  () => 'name: !!js/function "function () { while (true); }"',
  () => 'name: !!binary aGVsbG8=\nseed: !!int "0x1F"',
  () => '%YAML 1.1\n---\nname: yes\nseed: 0o7\n',
  () => 'name:\ta\njobs:\n\t- {}\n',
  () => 'name: a\r\rjobs: []\r',
  () => '\uFEFFname: a',
  () => 'name: a\u2028b\u0085c',
  () => '{"name": "a", "seed": 1e400}',
  () => '{"name": "a", "seed": 9007199254740993}',
  () => '{"name": "a", "__proto__": {"polluted": 1}}',
  () => '{"__proto__": {"name": "a", "polluted": 1}}',
  () => '? [a, b]\n: c\n? {d: e}\n: f\nname: a',
  () => '[]',
  () => '"name"',
  () => 'null',
  () => `name: a\nextends: ${'../'.repeat(100)}etc/passwd`,
  () => 'name: a\nextends: a',
]

const plainBuiltIn = builtInScenarios.map((each) => JSON.parse(JSON.stringify(each)) as unknown)

/** A scenario as a value and as the text of a file. */
interface Given {
  readonly value: unknown
  readonly text: string
}

/** A way to give a scenario to an emulator. */
interface Way {
  /** How many of ten scenarios go this way. */
  readonly share?: number
  /** Who gives it. Default: a caller of the control API, as JSON. */
  readonly by?: 'code' | 'YAML' | 'JSON'
  readonly give: (given: Given) => Promise<Verdict>
}

/** Scenarios from the schema and the package with changes: as objects, as texts, and over the control API. */
export const startScenarios: StartKind = async () => {
  let emulator = emptyEmulator()
  await emulator.jobs.start()
  const initial = await emulator.snapshot()
  const other = emptyEmulator()
  let before = stateOf(emulator)

  const parse = ({ text }: Given): Promise<Verdict> =>
    verdictOf(() => {
      const scenario = parseScenario(text, 'mine.yaml')
      // What was read can be checked again.
      checkScenario(scenario)
      emulator.reset(scenario)
    })
  const ways: Readonly<Record<string, Way>> = {
    object: {
      share: 3,
      by: 'code',
      give: ({ value }) =>
        verdictOf(() => {
          const scenario = value as ScenarioInput
          const created = createEmulator({ scenario, clock: 'manual', send })
          void emulator.close()
          emulator = created
        }),
    },
    follow: {
      by: 'code',
      give: ({ value }) => verdictOf(() => emulator.follow(value as ScenarioInput)),
    },
    yaml: { by: 'YAML', give: parse },
    json: { by: 'JSON', give: parse },
    check: { by: 'YAML', give: ({ text }) => check(text) },
    'choose yaml': {
      by: 'YAML',
      give: ({ text }) => call('POST /_emulator/scenario', { yaml: text, reset: true }),
    },
    choose: { give: ({ value }) => call('POST /_emulator/scenario', { scenario: value }) },
    reset: { give: ({ value }) => call('POST /_emulator/reset', { scenario: value }) },
  }
  const names = Object.entries(ways).flatMap(([name, { share = 1 }]) =>
    Array.from({ length: share }, () => name),
  )

  return {
    async attempt(draw) {
      const name = draw.tell(draw.oneOf(names))
      const { by, give } = ways[name]!
      const isText = by === 'YAML' && draw.isHit(0.1)
      const reads = isText || draw.isHit(0.1)
      const given = isText ? drawText(draw) : drawGiven(draw, by)
      const verdict = await give(given)
      if (verdict === 'refused') assertSame(before, stateOf(emulator))
      else if (name !== 'check') await assertUsed(reads)
      return verdict
    },

    async end() {
      await emulator.close()
      await other.close()
    },
  }

  async function check(text: string): Promise<Verdict> {
    const found = checkText(text, (read) => ({ input: read, hidden: [] }))
    const answer = await ask(emulator, 'POST /_emulator/scenario/check', { yaml: text })
    assertSame(before, stateOf(emulator))
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body}`)
    return 'problems' in found ? 'refused' : 'accepted'
  }

  async function call(line: string, body: unknown): Promise<Verdict> {
    const { status, body: answer } = await ask(emulator, line, body)
    if (status === 200) return 'accepted'
    if (status === 400 || status === 422) return 'refused'
    throw new Error(`${line}: ${status} ${answer.slice(0, 500)}`)
  }

  /** A scenario that was accepted can be used, saved and restored. */
  async function assertUsed(reads: boolean): Promise<void> {
    await verdictOf(() => emulator.models.create({ name: 'poet' }))
    await verdictOf(() => emulator.jobs.start())
    await verdictOf(() => emulator.jobs.start({ kind: 'sft' }))
    // The effect of a fault is not a failure of the emulator.
    for (const fault of emulator.engine.faults.all) fault.open = false
    const asked = chat(clientOf(emulator).inference, 'hello').then(({ status }) => {
      if (status === 500) throw new Error('A chat is answered with 500.')
    })
    emulator.clock.advance('1m')
    // A slow answer comes later on the clock.
    await Promise.race([asked, emulator.ready()])
    emulator.clock.advance('1h')
    asked.catch(() => {})
    await emulator.webhooks.idle()
    // Most of the time goes into reading everything.
    if (reads) await readAll(emulator)
    if (reads) await ask(emulator, 'GET /_emulator/scenario')
    await assertRoundTrip(emulator, other)
    await emulator.close()
    emulator = emulatorWith(initial)
    before = stateOf(emulator)
  }
}

function drawText(draw: InputDraw): Given {
  const text = draw.tell(draw.oneOf(texts)())
  return { value: undefined, text: draw.isHit(0.5) ? edited(draw, text, 2) : text }
}

function drawGiven(draw: InputDraw, by: Way['by']): Given {
  const made = draw.isHit(0.5)
    ? draw.oneOf(plainBuiltIn)
    : (JSON.parse(JSON.stringify(draw.from(generatedScenario))) as unknown)
  draw.tell(made)
  const value = draw.isHit(0.75) ? mutated(draw, made, { inCode: by === 'code' }) : made
  if (by !== 'YAML' && by !== 'JSON') return { value, text: '' }
  const text = by === 'YAML' ? yamlOf(value) : jsonOf(value)
  return { value, text: draw.isHit(0.4) ? edited(draw, text, 2) : text }
}

function yamlOf(value: unknown): string {
  try {
    return value === undefined ? '' : stringify(value)
  } catch {
    // The writer cannot write what is nested too deeply.
    return jsonOf(value)
  }
}
