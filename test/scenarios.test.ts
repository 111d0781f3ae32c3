import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { builtInScenarios } from '../src/index.js'
import { GaveUp, PerseveringClient, type Event } from './support/persevering-client.js'
import { groups } from './support/trainer.js'
import { describeTransports, type Api } from './support/transports.js'

type Kind = 'rl' | 'sft'

const WELL = ['training_ended', 'training_ended'] as const
const FAILED = ['training_failed', 'training_failed'] as const

/** How an RL and an SFT job end under each scenario: the last event, or none. */
const ends: Readonly<Record<string, readonly [rl: string, sft: string]>> = {
  'adversarial-pagination': WELL,
  'auth-expired': WELL,
  'checkpoint-evicted': WELL,
  'checkpoint-not-served': WELL,
  'checkpoints-on-the-way': WELL,
  'commit-then-fail': WELL,
  'diverging-loss': WELL,
  'dropped-connections': WELL,
  'duplicate-submission': WELL,
  'ends-early': WELL,
  'failing-job': FAILED,
  'fails-at-once': FAILED,
  'fails-before-start': FAILED,
  'fails-late': FAILED,
  'flaky-gateway': WELL,
  'hanging-calls': WELL,
  'happy-path': WELL,
  'long-run': WELL,
  'maintenance-window': WELL,
  'malformed-answers': WELL,
  'missing-metrics': WELL,
  'moving-pages': WELL,
  'nan-metrics': WELL,
  plateau: WELL,
  'quota-exhausted': WELL,
  'rate-limited': WELL,
  'reward-collapse': WELL,
  sft: WELL,
  'slow-responses': WELL,
  'slow-start': WELL,
  'stale-cursor': WELL,
  'stalled-then-resumed': WELL,
  'stuck-in-queue': ['none', 'none'],
  'stuck-job': ['gradient_step', 'gradient_step'],
  'system-check-degraded': WELL,
  'textual-metric': WELL,
  'two-jobs': FAILED,
}

/** The magic model names of happy-path, and how jobs of such models end. */
const magicNames: Readonly<Record<string, Course>> = {
  'sim-fails': { end: 'training_failed', steps: [3, 3] },
  'sim-fails-at-once': { end: 'training_failed', steps: [0, 0] },
  'sim-fails-before-start': { end: 'training_failed', steps: [0, 0], started: false },
  'sim-fails-late': { end: 'training_failed', steps: [4, 8] },
  'sim-stuck': { end: 'training_started', steps: [0, 0] },
  'sim-never-starts': { end: 'none', steps: [0, 0], started: false },
  'sim-slow': { end: 'training_ended', steps: [4, 8] },
  'sim-long': { end: 'training_ended', steps: [2000, 2000] },
  'sim-diverges': { end: 'training_ended', steps: [8, 8] },
  'sim-nan': { end: 'training_ended', steps: [6, 6] },
  'sim-plateaus': { end: 'training_ended', steps: [12, 12] },
  'sim-collapses': { end: 'training_ended', steps: [8, 8] },
  'simple-model': { end: 'training_ended', steps: [4, 8] },
}

interface Course {
  end: string
  steps: readonly [rl: number, sft: number]
  started?: boolean
}

/** Built-in scenarios end within this time at speed 1, unless their names say otherwise. */
const PATIENCE = 15_000
const UNHURRIED = /slow|long|stuck/

/** With so many things between two polls, a page is full and no journal overflows. */
const LONG_STRIDE = 100

interface Played {
  api: Api
  client: PerseveringClient
  kind: Kind
  modelId: string
  jobId: string
}

/** What a client does after the job, where the idea of a scenario shows only then. */
const sequels: Readonly<Record<string, (played: Played) => Promise<void>>> = {
  'adversarial-pagination': readEverythingAgain,
  'stale-cursor': readEverythingAgain,
  'moving-pages': readEverythingAgain,
  'checkpoints-on-the-way': listCheckpoints,
  'duplicate-submission': seeWhatElseWasTrained,
  'commit-then-fail': seeWhatElseWasTrained,
  async 'checkpoint-not-served'(played) {
    await listCheckpoints(played)
    await played.client.chat(served(played, 'latest'))
    const stepOne = served(played, 'step1')
    while ((await played.client.chat(stepOne)) === 404) played.client.wait(2_500)
  },
  async 'checkpoint-evicted'(played) {
    const stepOne = served(played, 'step1')
    while ((await played.client.chat(stepOne)) === 200) played.client.wait(1_000)
    await played.client.chat(served(played, 'latest'))
    await listCheckpoints(played)
  },
  async 'system-check-degraded'({ client }) {
    await client.tryOnce({ method: 'GET', path: '/health' })
    await client.tryOnce({ method: 'GET', path: '/system-check' })
  },
  async 'quota-exhausted'(played) {
    const { client } = played
    for (let chats = 1; chats <= 4; chats++) await client.chat(served(played, 'latest'))
    await anotherJob(played, 'second')
    await anotherJob(played, 'third')
  },
  'two-jobs': (played) => anotherJob(played, 'second'),
}

async function readEverythingAgain({ client, jobId, modelId }: Played): Promise<void> {
  client.note('reads all events again')
  client.forget()
  const events = await client.list(`/preview/training-jobs/${jobId}/events`)
  client.note(`has read ${events.map((event) => (event as Event).type).join(', ')}`)
  client.note('reads all checkpoints')
  const checkpoints = await client.list(`/preview/models/${modelId}/checkpoints`)
  client.note(`has read checkpoints ${steps(checkpoints)}`)
}

async function listCheckpoints({ client, modelId }: Played): Promise<void> {
  const { data } = await client.persevere({
    method: 'GET',
    path: `/preview/models/${modelId}/checkpoints`,
  })
  client.note(`lists checkpoints ${steps(data)}`)
}

function steps(checkpoints: readonly object[]): string {
  return checkpoints.map((checkpoint) => (checkpoint as { step: number }).step).join(', ')
}

async function seeWhatElseWasTrained(played: Played): Promise<void> {
  const made = played.api.emulator.journal.entries.flatMap((entry) => {
    return entry.kind === 'request' ? entry.effects.filter((effect) => /^queued/.test(effect)) : []
  })
  played.client.note(`made ${made.length} in all`)
  await listCheckpoints(played)
}

async function anotherJob({ client, kind, modelId }: Played, name: string): Promise<void> {
  try {
    client.note(`submits a ${name} job`)
    await follow(client, await client.createJob(kind, submission(kind, modelId, name)))
  } catch (error) {
    if (!(error instanceof GaveUp)) throw error
  }
}

function served({ kind }: Played, suffix: string): string {
  return `local-team/my-project/${modelNames[kind]}:${suffix}`
}

const modelNames = { rl: 'my-model', sft: 'another' }

function submission(kind: Kind, model_id: string, data = 'd'): object {
  if (kind === 'rl') return { model_id, trajectory_groups: groups }
  return { model_id, training_data_url: `a://b/c/${data}` }
}

/** Follows a job to where nothing more happens, noting each event when it is seen. */
async function follow(client: PerseveringClient, job: string, stride = 1): Promise<Event[]> {
  const seen: Event[] = []
  let fresh: Event[]
  do {
    const after = seen.at(-1)?.id
    fresh = (await client.list(`/preview/training-jobs/${job}/events`, after)) as Event[]
    for (const { type, data } of fresh) client.note(`${type} ${JSON.stringify(data)}`)
    seen.push(...fresh)
  } while (client.skip(stride) || fresh.length > 0)
  return seen
}

interface Run {
  events: readonly Event[]
  log: readonly string[]
  /** How long it took, in milliseconds. */
  took: number
}

/** One job of a model in a world of its own, and what a client makes of it. */
async function run(api: Api, { scenario, kind, model }: Asked): Promise<Run> {
  const client = new PerseveringClient(api)
  const modelId = await client.createModel(model ?? modelNames[kind])
  const jobId = await client.createJob(kind, submission(kind, modelId))
  const stride = /long/.test(model ?? scenario) ? LONG_STRIDE : 1
  const events = await follow(client, jobId, stride)
  const took = client.elapsed
  await sequels[scenario]?.({ api, client, kind, modelId, jobId })
  return { events, log: client.log, took }
}

interface Asked {
  scenario: string
  kind: Kind
  model?: string
}

const SHOWN = 4

/** Of a long log, the two ends. */
function written(log: readonly string[]): string {
  if (log.length <= 100) return log.join('')
  const left = `            … ${log.length - 2 * SHOWN} more …\n`
  return [...log.slice(0, SHOWN), left, ...log.slice(-SHOWN)].join('')
}

function lastOf(events: readonly Event[]): string {
  return events.at(-1)?.type ?? 'none'
}

describeTransports('built-in scenarios', (open) => {
  it.each(builtInScenarios.map(({ name }) => name))(
    '%s keeps its golden timeline',
    async (scenario) => {
      const rl = await run(await open({ scenario }), { scenario, kind: 'rl' })
      const sft = await run(await open({ scenario }), { scenario, kind: 'sft' })
      expect([lastOf(rl.events), lastOf(sft.events)]).toEqual(ends[scenario])
      if (!UNHURRIED.test(scenario)) {
        expect(rl.took).toBeLessThanOrEqual(PATIENCE)
        expect(sft.took).toBeLessThanOrEqual(PATIENCE)
      }
      const text = `RL, four trajectories\n${written(rl.log)}\nSFT, eight lines\n${written(sft.log)}`
      await expect(text).toMatchFileSnapshot(`golden/timelines/${scenario}.txt`)
    },
  )

  it.each(Object.entries(magicNames))(
    'happy-path has jobs of %s go as the name says',
    async (model, { end, steps: [rl, sft], started = true }) => {
      const scenario = 'happy-path'
      for (const [kind, count] of [['rl', rl] as const, ['sft', sft] as const]) {
        const { events } = await run(await open(), { scenario, kind, model: `${model}-7` })
        expect(lastOf(events)).toBe(end)
        expect(events.filter(({ type }) => type === 'gradient_step')).toHaveLength(count)
        expect(events.some(({ type }) => type === 'training_started')).toBe(started)
      }
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

  it('has a test of each magic name', () => {
    const { jobs } = builtInScenarios.find(({ name }) => name === 'happy-path')!
    const globs = jobs.flatMap(({ match }) => (typeof match === 'object' && match.model) || [])
    const names = new Set(globs.map((glob) => glob.replace(/\*$/, '')))
    expect(
      Object.keys(magicNames)
        .filter((name) => name.startsWith('sim-'))
        .sort(),
    ).toEqual([...names].sort())
  })
})
