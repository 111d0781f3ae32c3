import { beforeAll, describe, expect, it, vi } from 'vitest'
import { usualWarningsOf } from '../../../src/cli/serve.js'
import { createEmulatorWith, lazyChecks } from '../../../src/cli/create-emulator.js'
import type { Emulator, EmulatorOptions } from '../../../src/index.js'
import { ClientWaits } from '../../../src/service/engine/waits/client-waits.js'
import { Warnings, type Warning } from '../../../src/service/engine/warnings.js'
import { startSteps } from '../../../src/tools/explore/stepped.js'
import { clientOf, withKey } from '../../support/api-client.js'
import { chat, createModel, startJob, submit } from '../../support/trainer.js'

/** Nothing but the journal has the warnings of this emulator, as on the command line. */
const createEmulator = createEmulatorWith() as (options: EmulatorOptions) => Emulator

beforeAll(() => lazyChecks.load())

/** The warnings in the journal of a world. */
function warningsIn(emulator: Pick<Emulator, 'journal'>): string[] {
  return emulator.journal.entries.flatMap((entry) => {
    return entry.kind === 'note' && entry.warning ? [entry.text] : []
  })
}

const step = [{ event: 'gradient_step', count: 1 } as const, { event: 'pause', for: '1s' } as const]
const timeline = [
  { event: 'training_started' as const },
  ...[step, step, step, step, step, step].flat(),
  { event: 'training_ended' as const },
]

/** A job with six pauses. Under `auto`, each takes a poll. */
const manyPauses = { name: 'many-pauses', jobs: [{ timeline }] }

/** Emulators whose client pauses in real time: the time is made up, and passes when the test says so. */
function pausing(options: EmulatorOptions) {
  const emulator = createEmulator({ scenario: manyPauses, ...options })
  let now = 0
  const watch = (world: Emulator): void => {
    Object.assign(world.engine, { clientWaits: new ClientWaits(world.engine, () => now) })
  }
  watch(emulator)
  const client = clientOf(emulator)
  return {
    emulator,
    client,
    watch,
    pause: (ms: number) => void (now += ms),
    /** Polls a job, with these pauses in milliseconds before each poll. */
    poll: async (id: string, pauses: readonly number[], path = '/events'): Promise<void> => {
      for (const ms of pauses) {
        now += ms
        await client.get(`/preview/training-jobs/${id}${path}`)
      }
    },
  }
}

const SECONDS = [1000, 1000, 1000, 1000, 1000]

describe('a client that sleeps, although the clock skips time', () => {
  it('is named once, with how long it slept and what prints the page', async () => {
    const { emulator, watch, poll } = pausing({ clock: 'auto' })
    const id = await submit(emulator)
    await poll(id, SECONDS)

    expect(warningsIn(emulator)).toEqual([
      `warning: the client slept 3.0 s between 4 polls of job ${id.slice(0, 8)}, although the clock skips time; instant needs one poll for each job. See: svtrain-emulator docs warnings`,
    ])
    emulator.reset()
    watch(emulator)
    await poll(await submit(emulator), SECONDS)
    expect(warningsIn(emulator)).toEqual([])
  })

  it('may read the record of a job instead of its events', async () => {
    const { emulator, poll } = pausing({ clock: 'auto' })
    await poll(await submit(emulator), SECONDS, '')
    expect(warningsIn(emulator)).toHaveLength(1)
  })

  it.each<[why: string, options: EmulatorOptions, pauses: readonly number[]]>([
    ['it sleeps twice, and before its first poll', { clock: 'auto' }, [9000, 1000, 1000]],
    ['it does not sleep', { clock: 'auto' }, Array.from({ length: 9 }, () => 10)],
    [
      'the job is stalled, and it waits for the end of its patience',
      { clock: 'auto', scenario: 'stuck-job' },
      [...SECONDS, ...SECONDS, ...SECONDS],
    ],
    ['somebody moves the clock by hand', { clock: 'manual' }, SECONDS],
    [
      'its scenario asks for the real clock',
      { scenario: { ...manyPauses, clock: { mode: 'real' } } },
      SECONDS,
    ],
  ])('is none if %s', async (_why, options, pauses) => {
    const { emulator, poll } = pausing(options)
    await poll(await submit(emulator), pauses)
    expect(warningsIn(emulator)).toEqual([])
    await emulator.close()
  })

  it('is none if it does something else between polls', async () => {
    const { emulator, client, poll, pause } = pausing({ clock: 'auto' })
    const id = await submit(emulator)
    for (const _round of SECONDS) {
      await poll(id, [400])
      pause(400)
      await chat(client, 'Hi')
    }
    expect(warningsIn(emulator)).toEqual([])
  })

  it('is none if a refusal asks it to wait', async () => {
    const { emulator, poll } = pausing({ clock: 'auto' })
    const id = await submit(emulator)
    for (const _round of SECONDS) {
      emulator.faults.add({ fault: 'status', status: 429, retry_after: '2s', calls: 1 })
      await poll(id, [10, 2000])
    }
    expect(warningsIn(emulator)).toEqual([])
  })
})

describe('a test that polls real time', () => {
  it('learns how long it waited, and which clocks skip that', async () => {
    const { emulator, poll } = pausing({ clock: 'real' })
    const id = await submit(emulator)
    await poll(id, SECONDS)

    expect(warningsIn(emulator)).toEqual([
      `warning: the client waited 3.0 s between 4 polls of job ${id.slice(0, 8)}, because the clock is real; auto and instant skip that time. See: svtrain-emulator docs warnings`,
    ])
    await emulator.close()
  })

  it('learns it in its own world', async () => {
    const { emulator, watch, pause } = pausing({ clock: 'auto', isolate: 'api-key' })
    const world = emulator.world('its-key')
    world.useClock('real')
    watch(world)
    const id = await submit(world, 'poet', 'its-key')
    for (const ms of SECONDS) {
      pause(ms)
      await clientOf(world).get(`/preview/training-jobs/${id}/events`, withKey('its-key'))
    }
    expect(warningsIn(world)).toEqual([expect.stringContaining('because the clock is real')])
    expect(warningsIn(emulator)).toEqual([])
    await emulator.close()
  })
})

describe('a model that answered as its base model', () => {
  /** Trains a model once, and chats with it by this name. */
  async function warningsOf(
    scenario: EmulatorOptions['scenario'],
    name: string,
  ): Promise<string[]> {
    const emulator = createEmulator({ clock: 'manual', scenario })
    const client = clientOf(emulator)
    const { id } = await createModel(client, { project: 'verse', name: 'poet' })
    expect((await chat(client, 'Hi', { model: LATEST })).status).toBe(200)
    await startJob(client, id)
    emulator.clock.advance('8s')
    expect(emulator.job().status).toBe('ended')
    expect((await chat(client, 'Hi', { model: name })).status).toBe(200)
    await chat(client, 'Hi again', { model: name })
    return warningsIn(emulator)
  }

  const LATEST = 'wandb-artifact:///local-team/verse/poet'

  it('is named once, after a job whose checkpoint is not served yet', async () => {
    expect(await warningsOf('checkpoint-not-served', LATEST)).toEqual([
      expect.stringMatching(
        /^warning: the chat with \S+poet was answered as a base model: job \w{8} has ended, but its checkpoint of step \d+ is not served yet\. See: svtrain-emulator docs warnings$/,
      ),
    ])
  })

  it('is named after a job that ended without a checkpoint', async () => {
    expect(await warningsOf('ends-without-checkpoint', `${LATEST}:latest`)).toEqual([
      expect.stringContaining('but it added no checkpoint'),
    ])
  })

  it.each([
    ['its trained checkpoint answers', 'happy-path', LATEST],
    ['the chat asks for the untrained step', 'checkpoint-not-served', `${LATEST}:step0`],
    ['the chat asks for a base model', 'checkpoint-not-served', 'example/base-8b-instruct'],
    ['the scenario does not apply adapters', 'adapter-not-applied', LATEST],
  ] as const)('is none if %s', async (_why, scenario, name) => {
    expect(await warningsOf(scenario, name)).toEqual([])
  })

  it('is named if any name is served, and that of a trained model lacks its project', async () => {
    const emulator = createEmulator({ serveAnyModel: true })
    const client = clientOf(emulator)
    await createModel(client, { project: 'verse', name: 'poet' })
    await chat(client, 'Hi', { model: 'other' })
    await chat(client, 'Hi', { model: 'vendor/poet' })
    expect(warningsIn(emulator)).toEqual([])

    await chat(client, 'Hi', { model: 'poet' })
    expect(warningsIn(emulator)).toEqual([
      'warning: the chat with poet was answered as a base model: the trained model is local-team/verse/poet. See: svtrain-emulator docs warnings',
    ])
  })
})

describe('who is warned', () => {
  it('is nobody whose world an exploration plays', async () => {
    const emulator = createEmulator({ clock: 'auto', serveAnyModel: true })
    const client = clientOf(emulator)
    await createModel(client, 'poet')
    await startSteps(emulator, { runs: 1, checks: {} })
    await createModel(client, 'poet')
    await chat(client, 'Hi', { model: 'poet' })
    expect(emulator.requests.count('createChatCompletion')).toBe(1)
    expect(warningsIn(emulator)).toEqual([])
  })

  const pauses = { waited: 3000, polls: 4, job: '8ea2aea6-0000' }

  it('is nobody of what is usual', () => {
    const warn = vi.fn<(warning: Warning) => void>()
    const given = new Warnings({ warn }, { usual: ['real-time-polls'], warned: warn })
    given.give('real-time-polls', pauses)
    expect(warn).not.toHaveBeenCalled()
    given.give('sleeping-client', pauses)
    expect(warn).toHaveBeenCalledTimes(2)
  })

  it('is not who watches a server in real time', () => {
    expect(usualWarningsOf({ isolate: undefined, clock: undefined })).toEqual(['real-time-polls'])
    expect(usualWarningsOf({ isolate: 'api-key', clock: undefined })).toEqual(['real-time-polls'])
    // This is how pytest starts it: a world with the real clock is the choice of its test.
    expect(usualWarningsOf({ isolate: 'api-key', clock: 'auto' })).toBeUndefined()
  })
})
