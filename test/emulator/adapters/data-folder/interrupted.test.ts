import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtInScenarios, type Emulator } from '../../../../src/index.js'
import { folderInMemory } from '../../../support/temporary-folder.js'
import { openEmulator } from '../../open-emulator.js'
import { clientOf } from '../../../support/api-client.js'

const base_model = 'example/base-8b-instruct'
const groups = [
  { trajectories: [{ reward: 1 }, { reward: 0 }] },
  { trajectories: [{ reward: 0.5 }] },
]

async function call(emulator: Emulator, path: string, body?: object, method = 'POST') {
  const { inference, ...training } = clientOf(emulator)
  const { get, post, delete: remove } = path.startsWith('/chat') ? inference : training
  const send = method === 'DELETE' ? remove : post
  try {
    const { status, body: answer } = await (body ? send(path, body) : get(path))
    return `${status} ${JSON.stringify(answer)}`
  } catch (error) {
    return `lost: ${(error as Error).message}`
  }
}

/** Restores the state that a process leaves behind if it is killed at this moment. */
async function restored(from: string, scenario: string): Promise<Run> {
  const data = `${from}+`
  mkdirSync(data)
  const file = join(from, 'world.ndjson')
  if (existsSync(file)) copyFileSync(file, join(data, 'world.ndjson'))
  const emulator = openEmulator({ data, scenario })
  await emulator.ready()
  return { data, emulator }
}

interface Run {
  data: string
  emulator: Emulator
}

type Step = (emulator: Emulator) => Promise<unknown>

/**
 * The steps of a client. Each step makes a request or advances the time, and returns what the
 * client saw.
 */
function script(): Step[] {
  const seen: { models: string[]; jobs: string[] } = { models: [], jobs: [] }
  const idOf = (answer: string): string => /"id":"([^"]+)"/.exec(answer)?.[1] ?? 'none'
  const create =
    (name: string): Step =>
    async (emulator) => {
      const body = { project: 'p', name, base_model, return_existing: true }
      const answer = await call(emulator, '/preview/models', body)
      seen.models.push(idOf(answer))
      return answer
    }
  const train =
    (model: number): Step =>
    async (emulator) => {
      const body = { model_id: seen.models[model], trajectory_groups: groups }
      const answer = await call(emulator, '/preview/training-jobs', body)
      seen.jobs.push(idOf(answer))
      return answer
    }
  const look: Step = async (emulator) => {
    const paths = [
      ...seen.jobs.flatMap((id) => [
        `/preview/training-jobs/${id}`,
        `/preview/training-jobs/${id}/events?limit=100`,
      ]),
      ...seen.models.map((id) => `/preview/models/${id}/checkpoints?limit=100`),
    ]
    const answers: string[] = []
    for (const path of paths) answers.push(await call(emulator, path))
    return answers
  }
  const pass =
    (time: string): Step =>
    async (emulator) => {
      emulator.clock.advance(time)
      // A time that no client saw may be lost.
      return [emulator.clock.now(), await call(emulator, '/preview/base-models')]
    }
  const log: Step = (emulator) =>
    call(emulator, `/preview/models/${seen.models[0]}/log`, {
      split: 'val',
      trajectory_groups: groups,
    })
  const remove: Step = (emulator) =>
    call(emulator, `/preview/models/${seen.models[1]}`, {}, 'DELETE')
  const chat: Step = (emulator) =>
    call(emulator, '/chat/completions', {
      model: 'local-team/p/poet',
      messages: [{ role: 'user', content: 'Hi' }],
    })
  return [
    create('poet'),
    create('painter'),
    train(0),
    train(0),
    train(1),
    look,
    pass('1s'),
    look,
    pass('700ms'),
    log,
    pass('2s'),
    look,
    chat,
    pass('3s'),
    look,
    remove,
    create('painter'),
    train(0),
    pass('5s'),
    look,
    pass('20s'),
    look,
    chat,
    pass('10m'),
    look,
  ]
}

async function play({ data, emulator }: Run, killAt: (step: number) => boolean, scenario: string) {
  let current = { data, emulator }
  const seen: unknown[] = []
  for (const [index, step] of script().entries()) {
    if (killAt(index)) current = await restored(current.data, scenario)
    seen.push(await step(current.emulator))
  }
  return seen
}

// They hold answers back, so a client that waits for each answer would hang.
const unsuited = [
  'chat-concurrency-limit',
  'chat-hangs',
  'chat-stalls-mid-stream',
  'cold-adapter',
  'hanging-calls',
  'slow-responses',
]

const suited = builtInScenarios.map(({ name }) => name).filter((name) => !unsuited.includes(name))

describe('a world on disk', () => {
  it.each(suited)(
    '%s: killed before every second step, it continues as if it had not been killed',
    async (scenario) => {
      const start = (): Run => {
        const data = join(folderInMemory(), 'data')
        return { data, emulator: openEmulator({ data, scenario }) }
      }
      // The next scenario is killed before the other steps.
      const first = suited.indexOf(scenario) % 2
      const whole = await play(start(), () => false, scenario)
      expect(await play(start(), (step) => step % 2 === first, scenario)).toEqual(whole)
    },
  )
})
