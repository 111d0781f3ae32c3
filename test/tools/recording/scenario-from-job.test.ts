import { describe, expect, it } from 'vitest'
import { builtInScenarios, createEmulator, type Emulator } from '../../../src/index.js'
import { fetchJob, type FetchedJob } from '../../../src/tools/recording/fetch-job.js'
import { RecordingError } from '../../../src/tools/recording/recording-error.js'
import { scenarioFromJob } from '../../../src/tools/recording/scenario-from-job.js'
import { checkScenario } from '../../../src/service/scenario/check-scenario.js'
import type { Scenario } from '../../../src/service/scenario/scenario.js'
import { clientOf } from '../../support/api-client.js'
import { createModel, startJob } from '../../support/trainer.js'

interface Started {
  emulator: Emulator
  jobs: string[]
}

async function started(
  scenario: string | Scenario,
  { kinds = ['rl'], seed }: { kinds?: readonly ('rl' | 'sft')[]; seed?: number } = {},
): Promise<Started> {
  const emulator = createEmulator({ scenario: scenario as Scenario, clock: 'manual', seed })
  const client = clientOf(emulator)
  const { id } = await createModel(client, 'poet')
  const jobs: string[] = []
  for (const kind of kinds) {
    const data = { model_id: id, training_data_url: `artifact:///team/p/rows-${jobs.length}:v0` }
    jobs.push(
      kind === 'rl'
        ? await startJob(client, id)
        : (await client.post('/preview/sft-training-jobs', data)).body.id,
    )
    emulator.clock.advance('30m')
  }
  return { emulator, jobs }
}

function fetched({ emulator, jobs }: Started, at = -1): Promise<FetchedJob> {
  const { trainingUrl: url, fetch } = emulator
  return fetchJob({ id: jobs.at(at)!, url, key: 'any-key', keyName: 'SVTRAIN_API_KEY', fetch })
}

const contents = ({ record, events, checkpoints }: FetchedJob) => ({
  record: [record['status'], record['error_message'], record['kind']],
  times: ['training_start', 'training_end'].map((name) => {
    return Date.parse(String(record[name])) - Date.parse(String(record['created_at']))
  }),
  events: events.map(({ type, data }) => [type, data]),
  checkpoints: checkpoints!.map(({ step, metrics }) => [step, metrics]),
})

describe('a scenario made from a job of the service', () => {
  // Without faults, every call is answered, as a service does on a good day.
  const answering = builtInScenarios.filter(({ faults }) => faults.length === 0)
  const all = answering.flatMap((scenario) => {
    return (['rl', 'sft'] as const).map((kind) => [scenario.name, kind, scenario] as const)
  })

  it.each(all)('plays a job of %s again, of the kind %s', async (name, kind, scenario) => {
    const first = await fetched(await started(scenario, { kinds: [kind] }))
    const { scenario: again, missing } = scenarioFromJob(first, 'made')
    const second = await fetched(await started(again, { kinds: [kind], seed: 7 }))
    if (first.record['training_end'] === null) {
      expect(missing).toMatchObject([{ seen: expect.stringMatching(/it is (?:queued|running)/) }])
      return
    }
    expect(missing).toEqual([])
    expect(contents(second)).toEqual(contents(first))
  })

  it.each([
    ['rl', 'rl'],
    ['sft', 'rl', 'rl', 'rl'],
    ['rl', 'sft'],
  ] as const)('begins with the checkpoints of the jobs before it: %s, %s', async (...kinds) => {
    const first = await fetched(await started('happy-path', { kinds }))
    const { scenario } = scenarioFromJob(first, 'made')
    const second = await fetched(await started(scenario, { kinds: kinds.slice(-1), seed: 7 }))
    expect(contents(second)).toEqual(contents(first))
  })

  it('spreads steps evenly over the time that the service says, and names what it cannot know', async () => {
    const timeline = [
      { event: 'training_started' as const, after: '7s' },
      { event: 'gradient_step' as const, every: '10s', count: 2 },
      { event: 'training_failed' as const, after: '4s', error_message: 'worker lost' },
    ]
    const first = await fetched(await started(checkScenario({ name: 'own', jobs: [{ timeline }] })))
    const { scenario, text } = scenarioFromJob(first, 'made')
    expect(scenario.jobs[0]!.timeline).toMatchObject([
      { event: 'training_started', after: '7s' },
      { event: 'gradient_step', every: '8s', count: 2 },
      { event: 'training_failed', after: '8s', error_message: 'worker lost' },
    ])
    expect(text).toContain('Nothing says when 2 of its 4 events happened. Here they lie evenly')
  })

  it('has the times of the events, if the service says them', async () => {
    const first = await fetched(await started('failing-job'))
    const times = ['00:00:02', '00:00:02.500', '00:00:04', '00:00:04.250', '00:00:05']
    const events = first.events.map((event, index) => {
      return { ...event, created_at: `2026-01-01T${times[index]}Z` }
    })
    const { scenario } = scenarioFromJob({ ...first, events }, 'made')
    expect(scenario.jobs[0]!.timeline).toMatchObject([
      { after: '2s' },
      { after: '500ms', every: '1500ms', count: 2 },
      { every: '250ms', count: 1 },
      { after: '750ms' },
    ])
  })

  it('has the checkpoint with the metrics of its last step, also if there are newer ones', async () => {
    const first = await fetched(await started('happy-path', { kinds: ['rl', 'rl', 'rl'] }), 1)
    const { scenario, text } = scenarioFromJob(first, 'made')
    expect(text.replaceAll('\n# ', ' ')).toContain(
      'Step 2, which has its metrics, counts as its own. Older ones are there before it. Newer ones are left out.',
    )
    const again = await fetched(await started(scenario))
    expect(again.checkpoints!.map(({ step }) => step)).toEqual([0, 1, 2])
    const { data } = first.events.findLast(({ type }) => type === 'gradient_step')!
    const { loss } = data as { loss: number }
    expect(again.checkpoints!.at(-1)!['metrics']).toMatchObject({ 'train/loss': loss })
  })

  it('is written for a record that has nothing but the id', async () => {
    const first = await fetched(await started('failing-job'))
    const { scenario, text } = scenarioFromJob(
      { ...first, record: { id: first.id }, checkpoints: undefined },
      'made',
    )
    expect(scenario.jobs[0]!.timeline.at(-1)).toMatchObject({ event: 'training_failed' })
    expect(text).toContain('Nothing says when its events happened')
    expect(text).toContain('The service does not list the checkpoints of its model.')
  })
})

describe('reading a job from the service', () => {
  const KEY = 'local-key-of-a-user-0123456789abcdef'

  /** Answers each path with a status and a body, and lists the calls. */
  function service(answers: Record<string, [status: number, body: unknown, location?: string]>) {
    const calls: string[] = []
    const send = (async (url: string, init: RequestInit) => {
      const path = url.slice('https://api.example.com/v1'.length)
      calls.push(`${init.method ?? 'GET'} ${path}`)
      const [status, body, location] = answers[path] ?? [404, { detail: 'Not Found' }]
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      return new Response(text, { status, ...(location && { headers: { location } }) })
    }) as typeof fetch
    const read = (fetch = send): Promise<FetchedJob> => {
      const url = 'https://api.example.com/v1/'
      return fetchJob({ id: 'job-7', url, key: KEY, keyName: 'SVTRAIN_API_KEY', fetch })
    }
    return { calls, read }
  }

  const JOB = '/preview/training-jobs/job-7'
  const page = (ids: readonly string[], has_more: boolean) => {
    return { data: ids.map((id) => ({ id, type: 'gradient_step', data: {} })), has_more }
  }

  it('follows the pages by cursor, and sends nothing but GET', async () => {
    const { calls, read } = service({
      [JOB]: [200, { id: 'job-7', model_id: 'm 1' }],
      [`${JOB}/events?limit=100`]: [200, page(['a', 'b'], true)],
      [`${JOB}/events?limit=100&after=b`]: [200, page(['c'], false)],
    })
    const { events, checkpoints } = await read()
    expect([events.map(({ id }) => id), checkpoints]).toEqual([['a', 'b', 'c'], undefined])
    expect(calls).toEqual([
      `GET ${JOB}`,
      `GET ${JOB}/events?limit=100`,
      `GET ${JOB}/events?limit=100&after=b`,
      'GET /preview/models/m%201/checkpoints?limit=100',
    ])
  })

  it.each([
    [
      401,
      { detail: `bad key ${KEY}` },
      'The service refused the key in SVTRAIN_API_KEY (401: bad key [not shown]). Set SVTRAIN_API_KEY to a key of the team that owns the job.',
    ],
    [
      404,
      { detail: 'Training job not found' },
      'The service has no job "job-7" for the key in SVTRAIN_API_KEY (404: Training job not found). Check the id, and whose key it is.',
    ],
    [
      422,
      { detail: [{ msg: 'Input should be a valid UUID' }] },
      '"job-7" is not the id of a job (422: Input should be a valid UUID).',
    ],
    [
      503,
      { detail: 'Service Unavailable' },
      'The service answered GET /preview/training-jobs/job-7 with 503: Service Unavailable. Try again later.',
    ],
    // The same call fails again.
    [
      400,
      { detail: 'Bad Request' },
      'The service answered GET /preview/training-jobs/job-7 with 400: Bad Request. --url is https://api.example.com/v1;',
    ],
    [
      200,
      '<html>Sign in</html>',
      'The service answered GET /preview/training-jobs/job-7 with something else than a JSON object. --url is https://api.example.com/v1;',
    ],
  ])('says what %i means', async (status, body, message) => {
    const error = await service({ [JOB]: [status, body] })
      .read()
      .catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(RecordingError)
    expect(String(error)).toContain(message)
    expect(String(error)).not.toContain(KEY)
  })

  it('says that an id is shortened, as traces show it', async () => {
    const send = () => Promise.resolve(new Response('{}', { status: 404 }))
    const url = 'https://api.example.com/v1'
    const read = fetchJob({ id: 'a43c9658', url, key: KEY, keyName: 'K', fetch: send })
    await expect(read).rejects.toThrow('This is the beginning of an id: a report has the whole one')
  })

  it('does not follow a redirect with the key', async () => {
    const { calls, read } = service({ [JOB]: [307, '', 'https://elsewhere.example/v1'] })
    await expect(read()).rejects.toThrow(
      'redirects GET /preview/training-jobs/job-7 to https://elsewhere.example/v1 (307). The key was not sent there.',
    )
    expect(calls).toHaveLength(1)
  })

  it('stops at a service that sends the same page again', async () => {
    const { read } = service({
      [JOB]: [200, { id: 'job-7' }],
      [`${JOB}/events?limit=100`]: [200, page(['a'], true)],
      [`${JOB}/events?limit=100&after=a`]: [200, page(['a'], true)],
    })
    await expect(read()).rejects.toThrow(/more pages, but sends "a" again/)
  })

  it('says that the service cannot be reached', async () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const send = () => Promise.reject(new TypeError('fetch failed', { cause: refused }))
    await expect(service({}).read(send)).rejects.toThrow(
      'Failed to reach https://api.example.com/v1: connect ECONNREFUSED. Check --url and the network.',
    )
  })
})

it('leaves out metrics if each step has one of its own', () => {
  const events = Array.from({ length: 3000 }, (_, step) => ({
    id: String(step),
    type: 'gradient_step',
    data: { [`loss_${step}`]: step },
    // Every second time is known.
    ...(step % 2 === 0 && { created_at: new Date(step * 1000).toISOString() }),
  }))
  const record = { status: 'running', kind: 'rl' }
  const { text } = scenarioFromJob(
    { id: 'j', url: 'https://api.example.test', record, events, checkpoints: undefined },
    'long',
  )
  expect(text.replaceAll('\n# ', ' ')).toContain('its 3000 metrics in 3000 steps are left out')
  expect(text).not.toContain('loss_1')
})
