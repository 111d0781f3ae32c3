import { readJson } from '../../service/contract/answer-text.js'
import { fieldsOf, listIn, textIn, type Fields, type ScenarioPart } from './exchanges.js'
import { exactly, type KnownJob } from './seen-job.js'

interface RunOptions {
  readonly world: string | undefined
  /** The ids of recorded requests, by the ids of the emulator. */
  readonly requests: ReadonlyMap<unknown, number>
  /** When the first request was sent. Default: when the first job was created. */
  readonly start: number | undefined
}

/** Reads the jobs of a HAR file of this emulator. */
export function jobsOfRun(log: Fields, { world, requests, start }: RunOptions): KnownJob[] {
  const jobs = listIn(fieldsOf(log['_svtrain'])['jobs']).map(fieldsOf)
  const from = start ?? Date.parse(String(jobs[0]?.['created_at']))
  return jobs.flatMap((job) => {
    const { id, kind, ordinal, request_id, created_at, goes_on } = job
    const createdAt = Date.parse(String(created_at)) - from
    if (typeof id !== 'string' || typeof ordinal !== 'number' || Number.isNaN(createdAt)) return []
    if (world !== undefined && job['world'] !== world) return []
    const model = fieldsOf(job['model'])
    const times = listIn(job['times'])
    const events = listIn(job['events']).map((text, index) => {
      const event = fieldsOf(readJson(String(text))?.value)
      return {
        type: String(event['type']),
        data: fieldsOf(event['data']),
        span: exactly(createdAt + Number(times[index])),
      }
    })
    return {
      id,
      kind: kind === 'sft' ? 'sft' : 'rl',
      model: {
        id: textIn(model['id']) ?? '',
        project: textIn(model['project']) ?? '',
        name: textIn(model['name']) ?? '',
        baseModel: '',
      },
      ordinal,
      creationId: requests.get(request_id),
      createdAt,
      goesOn: goes_on !== false,
      events,
      unknownStatus: undefined,
      notes: [],
    }
  })
}

/** Reads the webhooks of a HAR file of this emulator, as parts of a scenario. */
export function webhooksOfRun(log: Fields, world: string | undefined): ScenarioPart | undefined {
  const all = listIn(fieldsOf(log['_svtrain'])['webhooks']).map(fieldsOf)
  const own = all.find((each) => world === undefined || each['world'] === world)
  return own && fieldsOf(own['parts'])
}
