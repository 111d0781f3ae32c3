import { createEmulator, type ScenarioInput } from '../../../src/index.js'
import type { Client } from './acts.js'
import { is, there } from './expected.js'
import type { Outcome, Replacement } from './truth.js'

/** Changes all or most of the world. */
type Replace = (client: Client) => Promise<unknown>

function scenarioCalled(name: string): ScenarioInput {
  return {
    name,
    base_models: ['example/base-8b-instruct'],
    faults: [
      { fault: 'status', status: 503, match: { operation: 'describeTrainingApi' }, open: false },
    ],
  }
}

/** The fault of such a scenario in its initial state. */
const itsFault: Outcome = [['fault:scenario-1', is('closed')]]

const isRecord = (key: string): boolean => /^(model|job):/.test(key)
const isWebhook = (key: string): boolean => /^(secret|webhook|automation|disabled):/.test(key)

/** Removes everything of the previous world. */
const afresh: Replacement['fate'] = (key) => (isRecord(key) ? 'gone' : 'unknown')

/** Keeps models, jobs and added faults. Only the webhooks of the scenario are left. */
const followed: Replacement['fate'] = (key) => {
  if (isWebhook(key)) return 'gone'
  return key === 'fault:scenario-1' ? 'unknown' : 'stays'
}

const FROM_SNAPSHOT = 'from-a-snapshot'

/** A world with one model. */
async function snapshotOfAnother(): Promise<{ snapshot: object; model: string }> {
  await using emulator = createEmulator({ scenario: scenarioCalled(FROM_SNAPSHOT) })
  const { id } = await emulator.models.create({ name: 'kept' })
  return { snapshot: await emulator.snapshot(), model: id }
}

export async function replacements(): Promise<Readonly<Record<string, Replace>>> {
  const { snapshot, model } = await snapshotOfAnother()
  const choose =
    (reset: boolean): Replace =>
    ({ truth, calls, unique }) => {
      const scenario = `world-${unique()}`
      const body = { scenario: scenarioCalled(scenario), reset }
      return truth.replace({ scenario, fate: reset ? afresh : followed, outcome: itsFault }, () =>
        calls.ask('chooseScenario', { body }),
      )
    }
  return {
    chooseScenario: choose(false),
    'chooseScenario with reset': choose(true),
    resetWorld: ({ truth, calls }) => {
      const scenario = 'happy-path'
      return truth.replace({ scenario, fate: afresh, outcome: [] }, () => {
        return calls.ask('resetWorld', { body: { scenario } })
      })
    },
    restoreSnapshot: ({ truth, calls }) => {
      const outcome = [...itsFault, [`model:${model}`, there] as const]
      return truth.replace({ scenario: FROM_SNAPSHOT, fate: afresh, outcome }, () => {
        return calls.ask('restoreSnapshot', { body: snapshot })
      })
    },
    clearFaults: ({ truth, calls }) => {
      const fate: Replacement['fate'] = (key) => {
        return key.startsWith('fault:added-') ? 'gone' : 'stays'
      }
      return truth.replace({ fate, outcome: [] }, () => calls.ask('clearFaults'))
    },
  }
}
