import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { Emulator, ReceivedDelivery } from '../../../src/index.js'
import { explore, type ExploredWorld } from '../../../src/explore.js'

/**
 * Code that trains a model, starts again when its receiver hears of a failure, and releases the model when it hears
 * of the end. Explored with a delivery that comes twice, with two failures whose deliveries have equal bytes, and with
 * forged deliveries.
 */

/** What the receiver hears: the ends of jobs. Called with each delivery of one. */
type Hear = (delivery: ReceivedDelivery, act: (state: string) => Promise<void>) => Promise<void>

/** Takes each delivery for an event. */
const onEach: Hear = ({ body }, act) => act((body as { run_state: string }).run_state)

/** Takes each delivery with a valid signature for an event. */
const onValid: Hear = async (delivery, act) => {
  if (delivery.verdict === 'valid') await onEach(delivery, act)
}

/** Takes equal bytes for the same event. */
function byHash(): Hear {
  const seen = new Set<string>()
  return async (delivery, act) => {
    const hash = createHash('sha256').update(delivery.raw).digest('hex')
    if (seen.has(hash)) return
    seen.add(hash)
    await onValid(delivery, act)
  }
}

/** Takes a delivery as a hint: reads its jobs, and acts once for each that is over. */
function byJob({ fetch, trainingUrl, apiKey }: Emulator, jobs: readonly string[]): Hear {
  const headers = { authorization: `Bearer ${apiKey}` }
  const done = new Set<string>()
  return async (_delivery, act) => {
    for (const id of jobs.filter((each) => !done.has(each))) {
      const response = await fetch(`${trainingUrl}/preview/training-jobs/${id}/events`, { headers })
      const { data } = (await response.json()) as { data: { type: string }[] }
      const last = data.at(-1)!.type
      if (last !== 'training_ended' && last !== 'training_failed') continue
      done.add(id)
      await act(last === 'training_ended' ? 'finished' : 'failed')
    }
  }
}

type MakeReceiver = (emulator: Emulator, jobs: readonly string[]) => Hear

function trainingWith(receiver: MakeReceiver) {
  return async (emulator: Emulator, { sink, signal }: ExploredWorld): Promise<void> => {
    const jobs: string[] = []
    const hear = receiver(emulator, jobs)
    const releases: string[] = []
    const train = async (): Promise<void> => {
      jobs.push((await emulator.jobs.start({ model: 'poet' })).id)
    }
    const act = async (state: string): Promise<void> => {
      if (state === 'failed') await train()
      else releases.push(state)
    }
    await train()
    for (let heard = 0; releases.length === 0;) {
      await emulator.settle()
      const arrived = sink!.deliveries.slice(heard)
      // It waits for a delivery that does not come.
      if (arrived.length === 0) await once(signal, 'abort')
      heard += arrived.length
      const ends = arrived.filter(({ text }) => /"run_state":"(?:finished|failed)"/.test(text))
      for (const delivery of ends) await hear(delivery, act)
    }
    if (releases.length > 1) throw new Error(`${releases.length} releases of one run`)
  }
}

async function explored(receiver: MakeReceiver, { timeout = '5s' } = {}) {
  const options = { runs: 4, sink: true, timeout, parallel: 4 }
  const { runs, failures } = await explore(trainingWith(receiver), options)
  const verdicts = Object.fromEntries(runs.map(({ name, verdict }) => [name, verdict]))
  return { verdicts, runs, failures }
}

describe('an exploration of a receiver', () => {
  it('passes one that acts once for each job', async () => {
    const { verdicts, failures, runs } = await explored(byJob)
    expect(verdicts).toEqual({
      'happy-path': 'passed',
      'repeated-deliveries': 'passed',
      'equal-events': 'passed',
      'forged-deliveries': 'passed',
    })
    expect(failures).toEqual([])
    expect(runs.filter(({ remark }) => remark !== undefined)).toEqual([])
  })

  it('finds one that hashes the body, by two events with equal bytes', async () => {
    const { verdicts, failures } = await explored(byHash, { timeout: '1s' })
    expect(verdicts).toEqual({
      'happy-path': 'passed',
      'repeated-deliveries': 'passed',
      'equal-events': 'hung',
      'forged-deliveries': 'passed',
    })
    const title = 'the code waits, after two events whose deliveries have equal bytes'
    expect(failures).toMatchObject([{ title, shrinking: { finished: true } }])
    // All of it is needed: in a smaller one, each job may fail.
    expect(failures[0]!.scenario.jobs).toHaveLength(2)
  })

  it('finds one that remembers nothing, by a delivery that comes twice', async () => {
    const { verdicts, failures } = await explored(() => onValid)
    expect(verdicts).toEqual({
      'happy-path': 'passed',
      'repeated-deliveries': 'failed',
      'equal-events': 'passed',
      'forged-deliveries': 'passed',
    })
    expect(failures).toMatchObject([{ reason: '2 releases of one run' }])
    expect(failures[0]!.yaml).toContain('do: duplicate')
  })

  it('finds one that does not check signatures, by a failure that nobody has', async () => {
    const verdictsOf = async (isTrusted: (delivery: ReceivedDelivery) => boolean) => {
      const { runs, failures } = await explore(
        async (emulator, { sink }) => {
          await emulator.jobs.start({ model: 'poet' })
          await emulator.settle()
          const heard = sink!.deliveries.filter(isTrusted)
          const states = heard.map(({ body }) => (body as { run_state: string }).run_state)
          if (states.includes('failed')) throw new Error('The job failed.')
        },
        { runs: 4, sink: true },
      )
      return { verdict: runs.at(-1), failures }
    }
    const careless = await verdictsOf(() => true)
    expect(careless.verdict).toMatchObject({ name: 'forged-deliveries', verdict: 'failed' })
    expect(careless.failures).toMatchObject([
      {
        title: 'the code failed although only deliveries differ: The job failed.',
        // Without the forger, nothing would be wrong.
        yaml: expect.stringContaining('do: wrong_secret') as string,
      },
    ])
    expect(careless.failures[0]!.yaml.split('\n').length).toBeLessThan(20)
    const careful = await verdictsOf(({ verdict }) => verdict === 'valid')
    expect(careful.verdict).toMatchObject({ name: 'forged-deliveries', verdict: 'passed' })
    expect(careful.failures).toEqual([])
  })

  it('says so if it saw no two events with equal bytes', async () => {
    const { runs } = await explore(
      async (emulator) => {
        await emulator.jobs.start({ model: 'poet' })
        await emulator.settle()
      },
      { runs: 3, sink: true, timeout: '5s' },
    )
    const [equal] = runs.filter(({ name }) => name === 'equal-events')
    expect(equal).toMatchObject({
      verdict: 'passed',
      remark: expect.stringContaining('whether it tells them apart was not seen') as string,
    })
  })
})
