import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { builtInScenarios } from '../src/index.js'
import { VIRTUAL_START } from '../src/world/clock.js'
import { describeTransports, type Api } from './support/transports.js'
import { createModel, listEvents, startRlJob } from './support/trainer.js'

/** How an RL and an SFT job end under each scenario: the last event, or none. */
const ends: Readonly<Record<string, readonly [rl: string, sft: string]>> = {
  'failing-job': ['training_failed', 'training_failed'],
  'happy-path': ['training_ended', 'training_ended'],
  sft: ['training_ended', 'training_ended'],
  'slow-start': ['training_ended', 'training_ended'],
  'stuck-job': ['gradient_step', 'gradient_step'],
}

/** Built-in scenarios end within this time at speed 1, unless their names say otherwise. */
const PATIENCE = 15_000

interface Moment {
  at: number
  type: string
  data: unknown
}

/** Plays a job to where nothing more happens, and tells when what happened. */
async function play(api: Api, job: string, start: number): Promise<Moment[]> {
  const moments: Moment[] = []
  let after: string | undefined
  do {
    for (const { id, type, data } of await listEvents(api, job, after)) {
      moments.push({ at: api.emulator.clock.now() - start, type, data })
      after = id
    }
  } while (api.emulator.clock.next())
  return moments
}

function written(moments: readonly Moment[]): string {
  return moments
    .map(({ at, type, data }) => `${`+${at} ms`.padStart(10)}  ${type} ${JSON.stringify(data)}\n`)
    .join('')
}

describeTransports('built-in scenarios', (open) => {
  it.each(builtInScenarios.map(({ name }) => name))(
    '%s keeps its golden timeline',
    async (name) => {
      const api = await open({ scenario: name })
      const { id } = await createModel(api)
      const rl = await play(api, await startRlJob(api, id), VIRTUAL_START)
      const middle = api.emulator.clock.now()
      const data = {
        model_id: (await createModel(api, 'another')).id,
        training_data_url: 'a://b/c/d',
      }
      const { body } = await api.post('/preview/sft-training-jobs', data)
      const sft = await play(api, body.id, middle)
      expect([rl.at(-1)!.type, sft.at(-1)!.type]).toEqual(ends[name])
      expect(rl.at(-1)!.at).toBeLessThanOrEqual(PATIENCE)
      expect(sft.at(-1)!.at).toBeLessThanOrEqual(PATIENCE)
      const text = `RL, four trajectories\n${written(rl)}\nSFT, eight lines\n${written(sft)}`
      await expect(text).toMatchFileSnapshot(`golden/timelines/${name}.txt`)
    },
  )
})

describe('the scenarios folder', () => {
  it('holds just the built-in scenarios, each with its end stated above', () => {
    const names = builtInScenarios.map(({ name }) => name)
    const files = readdirSync(`${import.meta.dirname}/../scenarios`)
    expect(files.sort()).toEqual(names.map((name) => `${name}.yaml`).sort())
    expect(Object.keys(ends).sort()).toEqual([...names].sort())
  })

  it('tells in a line what each is for', () => {
    for (const { description } of builtInScenarios) expect(description).toMatch(/^[A-Z].{20,90}\.$/)
  })
})
