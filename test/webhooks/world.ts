import { onTestFinished } from 'vitest'
import {
  createEmulator,
  type ClockMode,
  type Emulator,
  type ScenarioInput,
  type Send,
} from '../../src/index.js'
import { SECRET, type Receiver } from '../support/receiver.js'

type WebhookInput = NonNullable<ScenarioInput['webhooks']>[number]
type AutomationInput = NonNullable<ScenarioInput['automations']>[number]

/** Every state of a run, in few words. */
export const everyState: AutomationInput = {
  name: 'states',
  webhook: 'hook',
  event: 'RUN_STATE',
  payload: { state: '${run_state}' },
}

interface Around extends Omit<Partial<ScenarioInput>, 'clock'> {
  clock?: ClockMode
  send?: Send
}

/** An emulator with one signed webhook, which goes to the receiver. Time is in the test's hands. */
export function withHook(
  receiver: Pick<Receiver, 'url'>,
  webhook: Partial<WebhookInput> = {},
  { clock = 'manual', send, ...scenario }: Around = {},
): Emulator {
  const emulator = createEmulator({
    clock,
    ...(send && { send }),
    scenario: {
      name: 'hooked',
      secrets: { SECRET, OLD: 'the one before', TOKEN: 'a-token' },
      webhooks: [{ name: 'hook', url: receiver.url, secret: 'SECRET', ...webhook }],
      automations: [everyState],
      ...scenario,
    },
  })
  onTestFinished(() => emulator.close())
  return emulator
}

/** Submits a job of a model, with a key, and gives the job's id. */
export async function submit(emulator: Emulator, name = 'poet', key = 'any-key'): Promise<string> {
  const post = async (path: string, body: object): Promise<{ id: string }> => {
    const response = await emulator.fetch(emulator.trainingUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await response.json()) as { id: string }
  }
  const base_model = 'example/base-8b-instruct'
  const model = { project: 'demo', name, base_model, return_existing: true }
  const { id } = await post('/preview/models', model)
  const trajectories = [{ reward: 1 }, { reward: 0 }, { reward: 1 }, { reward: 0 }]
  const job = { model_id: id, trajectory_groups: [{ trajectories }] }
  return (await post('/preview/training-jobs', job)).id
}
