import type { z } from 'zod'
import type { Clock } from '../../base/clock/clock.js'
import type { SeededRandom } from '../../base/random/random.js'
import { holdsFunction } from '../../base/text/holds-function.js'
import type { Scenario } from '../scenario/scenario.js'
import { shownScenario } from '../scenario/shown.js'
import { WORLD_VERSION } from './saved/format.js'
import type { FieldsOf, RecordFields } from './saved/record-fields.js'
import { ONLY, type SavedPart } from './saved/saved-part.js'
import { whole } from './saved/complete.js'
import type { Store } from './store.js'

export interface SavedClock {
  kind: 'clock'
  now: number
}

/** The time on the clock. */
export const savedClock: SavedPart<SavedClock, undefined, { engine: { clock: Clock } }> = {
  kind: 'clock',
  schema({ strictObject, literal, moment }) {
    return strictObject({ kind: literal('clock'), now: moment } satisfies FieldsOf<SavedClock>)
  },
  everyTime: true,
  all: () => ONLY,
  records: (_thing, _id, { engine }) => {
    return [{ kind: 'clock', now: engine.clock.now() }]
  },
}

/** What a world was created with. */
export interface SavedFrame {
  kind: 'world'
  version: typeof WORLD_VERSION
  seed: number
  scenario: Scenario
  /** Whether the scenario had functions. They are missing, because they cannot be saved. */
  functions: boolean
  awake: boolean
  /** The moment from which the times of the scenario count. */
  began: number
  /** How many jobs were forgotten, if any. */
  forgotten_jobs?: number | undefined
}

export interface FrameWorld {
  readonly engine: {
    readonly store: Pick<Store, 'forgottenJobs'>
    readonly random: SeededRandom
    /** The scenario as snapshots save it. */
    readonly savedScenario: Scenario
    readonly awake: boolean
    readonly began: number
  }
}

const frameFields = ({ literal, number, boolean, moment, count }: RecordFields) => ({
  kind: literal('world'),
  version: literal(WORLD_VERSION),
  seed: number(),
  awake: boolean(),
  began: moment,
  forgotten_jobs: count.optional(),
})

/** The scenario and the seed. */
export const savedFrame: SavedPart<SavedFrame, undefined, FrameWorld> = {
  kind: 'world',
  schema: (fields) => {
    return fields.strictObject({
      ...frameFields(fields),
      scenario: fields.savedScenario,
      functions: fields.literal(false, { error: 'expected true or false' }),
    } satisfies FieldsOf<SavedFrame>)
  },
  all: () => ONLY,
  moved: () => ONLY,
  records: (_thing, _id, { engine: { random, savedScenario: scenario, awake, began, store } }) => {
    const functions = holdsFunction(scenario)
    const { seed } = random
    return [
      {
        kind: 'world',
        version: WORLD_VERSION,
        seed,
        scenario: whole(scenario),
        functions,
        awake,
        began,
        forgotten_jobs: store.forgottenJobs || undefined,
      },
    ]
  },
  mayBeSecret: ([field, key]) => field === 'scenario' && CONFIDENTIAL.includes(String(key)),
  redact: (record) => ({ ...record, scenario: redactedScenario(record.scenario) }),
}

/** The schema of a world whose scenario had functions. */
export function frameWithFunctions(fields: RecordFields): z.ZodType {
  return fields.strictObject({
    ...frameFields(fields),
    scenario: fields.savedWithoutFunctions,
    functions: fields.literal(true),
  })
}

const CONFIDENTIAL = ['auth', 'secrets', 'webhooks', 'automations', 'faults', 'sft']

/** A scenario without keys accepts any key. So no key has an entity, and all of them may use everything. */
function redactedScenario(scenario: Scenario): Scenario {
  const shown = shownScenario(scenario)
  const { keys: _keys, ...auth } = shown.auth
  return { ...shown, auth: { ...auth, separateEntities: false }, secrets: {} }
}
