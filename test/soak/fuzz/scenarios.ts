import * as fc from 'fast-check'
import { stringify } from 'yaml'
import { operations } from '../../../src/compose/control-table.js'
import { createEmulator, type ScenarioInput } from '../../../src/index.js'
import { builtInScenarios } from '../../../src/service/scenario/all-built-in-scenarios.js'
import { checkScenario } from '../../../src/service/scenario/check-scenario.js'
import { scenarioJsonSchema } from '../../../src/service/scenario/scenario-json-schema.js'
import { checkText, parseScenario } from '../../../src/service/scenario/scenario-yaml.js'
import type { Draw } from '../../support/draw.js'
import { clientOf } from '../../support/api-client.js'
import { ask, readAll } from './read-all.js'
import { chat } from '../../support/trainer.js'
import { valuesOf } from '../../support/values.js'
import {
  assertRoundTrip,
  assertSame,
  emptyEmulator,
  emulatorWith,
  send,
  stateOf,
  verdictOf,
} from './look.js'
import { kindOf, type StartKind, type Verdict } from './kind.js'
import {
  drawEdits,
  drawMutations,
  edited,
  jsonOf,
  mutated,
  type Edit,
  type Mutation,
} from './mutations.js'

interface ScenarioFuzz {
  readonly value?: unknown
  readonly mutations: readonly Mutation[]
  readonly edits: readonly Edit[]
  /** A text instead of a value. */
  readonly text?: string
  /** Whether everything is read after it was accepted. */
  readonly reads: boolean
  readonly by: 'object' | 'yaml' | 'json' | 'check' | 'choose' | 'choose yaml' | 'reset' | 'follow'
}

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

const hows: readonly ScenarioFuzz['by'][] = [
  ...(['object', 'object', 'object', 'yaml', 'json', 'check'] as const),
  ...(['choose', 'choose yaml', 'reset', 'follow'] as const),
]

const plainBuiltIn = builtInScenarios.map((each) => JSON.parse(JSON.stringify(each)) as unknown)

/** Scenarios from the schema and the package with changes: as objects, as texts, and over the control API. */
export const startScenarios: StartKind = async () => {
  let emulator = emptyEmulator()
  await emulator.jobs.start()
  const initial = await emulator.snapshot()
  const other = emptyEmulator()
  let before = stateOf(emulator)

  return kindOf<ScenarioFuzz>({
    draw(draw) {
      const by = draw.oneOf(hows)
      if (draw.isHit(0.1) && (by.includes('yaml') || by === 'check')) return drawText(draw, by)
      const value = draw.isHit(0.5) ? draw.oneOf(plainBuiltIn) : sample(draw)
      const inCode = by === 'object' || by === 'follow'
      const changes = draw.isHit(0.75) ? drawMutations(draw, value, { inCode }) : []
      const edits = by === 'yaml' || by === 'json' || by === 'check' ? drawEdits(draw, 2) : []
      return {
        value,
        mutations: changes,
        edits: draw.isHit(0.4) ? edits : [],
        reads: draw.isHit(0.1),
        by,
      }
    },

    async attempt(input) {
      const value = input.text === undefined ? mutated(input.value, input.mutations) : undefined
      const verdict = await attempt(input, value)
      if (verdict === 'refused') {
        assertSame(before, stateOf(emulator))
        return verdict
      }
      if (input.by !== 'check') await assertUsed(input.reads)
      return verdict
    },

    async end() {
      await emulator.close()
      await other.close()
    },
  })

  function drawText(draw: Draw, by: ScenarioFuzz['by']): ScenarioFuzz {
    const text = draw.oneOf(texts)()
    return {
      text,
      mutations: [],
      edits: draw.isHit(0.5) ? drawEdits(draw, 2) : [],
      reads: true,
      by,
    }
  }

  function textOf({ text, edits, by }: ScenarioFuzz, value: unknown): string {
    const written = text ?? (by === 'json' ? jsonOf(value) : yamlOf(value))
    return edited(written, edits)
  }

  async function attempt(input: ScenarioFuzz, value: unknown): Promise<Verdict> {
    switch (input.by) {
      case 'object':
        return verdictOf(() => {
          const created = createEmulator({
            scenario: value as ScenarioInput,
            clock: 'manual',
            send,
          })
          void emulator.close()
          emulator = created
        })
      case 'follow':
        return verdictOf(() => emulator.follow(value as ScenarioInput))
      case 'yaml':
      case 'json':
        return verdictOf(() => {
          const scenario = parseScenario(textOf(input, value), 'mine.yaml')
          // What was read can be checked again.
          checkScenario(scenario)
          emulator.reset(scenario)
        })
      case 'check': {
        const text = textOf(input, value)
        const found = checkText(text, (read) => ({ input: read, hidden: [] }))
        const body = { yaml: text }
        const answer = await ask(emulator, 'POST /_emulator/scenario/check', body)
        assertSame(before, stateOf(emulator))
        if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body}`)
        return 'problems' in found ? 'refused' : 'accepted'
      }
      case 'choose':
        return call('POST /_emulator/scenario', { scenario: value })
      case 'reset':
        return call('POST /_emulator/reset', { scenario: value })
      case 'choose yaml':
        return call('POST /_emulator/scenario', { yaml: textOf(input, value), reset: true })
    }
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

function sample(draw: Draw): unknown {
  const [value] = fc.sample(generated, { seed: draw.below(2 ** 31), numRuns: 1 })
  return JSON.parse(JSON.stringify(value)) as unknown
}

function yamlOf(value: unknown): string {
  try {
    return value === undefined ? '' : stringify(value)
  } catch {
    // The writer cannot write what is nested too deeply.
    return jsonOf(value)
  }
}
