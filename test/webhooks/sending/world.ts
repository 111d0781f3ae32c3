import { onTestFinished } from 'vitest'
import {
  createEmulator,
  type ClockMode,
  type Emulator,
  type ScenarioInput,
  type Send,
} from '../../../src/index.js'
import { SECRET, type Receiver } from '../../support/receiver.js'

type WebhookInput = NonNullable<ScenarioInput['webhooks']>[number]
type AutomationInput = NonNullable<ScenarioInput['automations']>[number]

/** Sends every state of a run, and nothing else. */
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

/** Creates an emulator with one signed webhook to the receiver. The clock is manual by default. */
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
