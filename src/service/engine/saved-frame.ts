import type { Clock } from '../../base/clock/clock.js'
import type { SeededRandom } from '../../base/random/random.js'
import { holdsFunction } from '../../base/text/holds-function.js'
import type { Scenario } from '../scenario/scenario.js'
import { CONFIDENTIAL_KEYS, shownScenario } from '../scenario/shown.js'
import { WORLD_VERSION } from './saved/format.js'
import type { RecordFields } from './saved/record-fields.js'
import { ONLY, type AnyPart, type OnlyRecord, type SavedPart } from './saved/saved-part.js'
import { whole } from './saved/complete.js'
import type { Store } from './store.js'

type ClockRecord = OnlyRecord<'clock', { now: number }>

/** The time on the clock. */
export const savedClock: SavedPart<ClockRecord, undefined, { engine: { clock: Clock } }> = {
  kind: 'clock',
  isOne: true,
  fields: ({ moment }) => ({ now: moment }),
  everyTime: true,
  all: () => ONLY,
  content: (_thing, _id, { engine }) => ({ now: engine.clock.now() }),
}

/** What a world was created with. */
export interface SavedFrame {
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

type FrameRecord = OnlyRecord<'world', SavedFrame>

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
  version: literal(WORLD_VERSION),
  seed: number(),
  awake: boolean(),
  began: moment,
  forgotten_jobs: count.optional(),
})

/** The scenario and the seed. */
export const savedFrame: SavedPart<FrameRecord, undefined, FrameWorld> = {
  kind: 'world',
  isOne: true,
  fields: (fields) => ({
    ...frameFields(fields),
    scenario: fields.savedScenario,
    functions: fields.literal(false, { error: 'expected true or false' }),
  }),
  all: () => ONLY,
  moved: () => ONLY,
  content: (_thing, _id, { engine: { random, savedScenario: scenario, awake, began, store } }) => ({
    version: WORLD_VERSION,
    seed: random.seed,
    scenario: whole(scenario),
    functions: holdsFunction(scenario),
    awake,
    began,
    forgotten_jobs: store.forgottenJobs || undefined,
  }),
  mayBeSecret: ([field, key]) => field === 'scenario' && CONFIDENTIAL_KEYS.includes(String(key)),
  // API keys and signed URLs.
  secretMaps: ['scenario.auth.keys', 'scenario.sft.files'],
  redact: (record) => ({ ...record, scenario: redactedScenario(record.scenario) }),
}

/** A world whose scenario had functions. */
export const frameWithFunctions: AnyPart = {
  ...(savedFrame as AnyPart),
  fields: (fields) => ({
    ...frameFields(fields),
    scenario: fields.savedWithoutFunctions,
    functions: fields.literal(true),
  }),
}

/** A scenario without keys accepts any key. So no key has an entity, and all of them may use everything. */
function redactedScenario(scenario: Scenario): Scenario {
  const shown = shownScenario(scenario)
  const { keys: _keys, ...auth } = shown.auth
  return { ...shown, auth: { ...auth, separateEntities: false }, secrets: {} }
}
