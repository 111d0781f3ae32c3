import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createEmulator, type Emulator, type WebhookReceiver } from '../../../src/index.js'
import { builtInScenarioNames } from '../../../src/service/scenario/built-in-scenarios.js'
import { parseScenario } from '../../../src/service/scenario/scenario-yaml.js'
import { readInput } from '../../../src/tools/recording/read-events.js'
import { writePlayed } from '../../../src/tools/recording/read-played.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

function emulatorOf(scenario: string, webhooks: string[] = []): Emulator {
  const emulator = createEmulator({ scenario, clock: 'manual', webhooks })
  onTestFinished(() => emulator.close())
  return emulator
}

/** Makes the file of a scenario from a snapshot. It has each of the losses. */
async function playedFrom(
  emulator: Emulator,
): Promise<{ text: string; losses: readonly string[] }> {
  const file = join(temporaryFolder(), 'state.json')
  writeFileSync(file, JSON.stringify(await emulator.snapshot()))
  const input = await readInput(file)
  if (input.kind !== 'played') throw new Error(input.kind)
  const { losses = [] } = input
  const text = writePlayed(input, { source: file })
  // Its lines are folded.
  for (const each of losses) expect(text.replaceAll('\n# ', ' ')).toContain(each)
  return { text, losses: losses.map((each) => each.replaceAll(file, 'state.json')) }
}

/** What the file says of jobs that it plays otherwise. */
async function lossesOf(emulator: Emulator): Promise<readonly string[]> {
  return (await playedFrom(emulator)).losses
}

it.each(builtInScenarioNames)('plays the jobs of %s as they went', async (name) => {
  const emulator = emulatorOf(name)
  for (const kind of ['rl', 'rl', 'sft'] as const) await emulator.jobs.start({ kind })
  emulator.clock.advance('1h')
  expect(await lossesOf(emulator)).toEqual([])
})

it.each<[what: string, act: (emulator: Emulator) => Promise<unknown>]>([
  [
    'failed by hand',
    async ({ jobs }) => {
      jobs.fail(await jobs.start(), 'node preempted')
    },
  ],
  [
    'began under another scenario',
    async (emulator) => {
      await emulator.jobs.start()
      emulator.follow('stuck-job')
    },
  ],
  [
    'had a timeline of its own',
    ({ jobs }) =>
      jobs.start({ timeline: [{ event: 'training_started' }, { event: 'training_ended' }] }),
  ],
])('says that a job %s', async (_what, act) => {
  const emulator = emulatorOf('failing-job')
  emulator.follow('happy-path')
  await act(emulator)
  emulator.clock.advance('1h')
  const id = emulator.job().id.slice(0, 8)
  expect(await lossesOf(emulator)).toEqual([
    `1 job went otherwise than this scenario says: ${id}. Somebody failed it, or it began under another scenario. To have it as it went, start the emulator with --import state.json, save a report, and make the scenario from that.`,
  ])
})

it('says nothing of a job whose model was deleted: its client deletes it again', async () => {
  const emulator = emulatorOf('happy-path')
  const job = await emulator.jobs.start({ model: 'poet' })
  emulator.models.delete('poet')
  expect(job.status).toBe('failed')
  expect(await lossesOf(emulator)).toEqual([])
})

const ADDRESS = 'http://127.0.0.1:9/hook'

interface Receivers {
  /** Those of the options. */
  webhooks?: string[]
  /** That of a program. */
  added?: WebhookReceiver
}

it.each<[who: string, receivers: Receivers, webhooks: object[], losses: string[]]>([
  [
    'an option added',
    { webhooks: [ADDRESS] },
    [{ name: 'receiver' }],
    [
      'Options added webhooks: "receiver". Here they get every event, without the settings that they had.',
    ],
  ],
  [
    'a program added',
    { added: { url: ADDRESS, name: 'later', retries: ['5s'] } },
    [{ name: 'later', retries: ['5s'] }],
    [],
  ],
])('has the webhook that %s, without its address', async (_who, receivers, webhooks, expected) => {
  const emulator = emulatorOf('happy-path', receivers.webhooks)
  if (receivers.added) emulator.webhooks.add(receivers.added)
  const { losses, text } = await playedFrom(emulator)
  expect(losses).toEqual(expected)
  const made = parseScenario(text, 'made.yaml')
  expect(made.webhooks).toMatchObject(webhooks)
  expect(made.webhooks.map(({ url }) => url)).toEqual([undefined])
})

it('says which receivers of options had a webhook of the scenario, too', async () => {
  const { losses } = await playedFrom(emulatorOf('webhook-storm', [ADDRESS, ADDRESS]))
  expect(losses).toEqual([
    'Options sent to more receivers: "receiver-2". They are not in it: give --webhook for each of them.',
  ])
})
