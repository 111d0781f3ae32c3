import { groupsOf } from '../../base/text/counted.js'
import { readJson } from '../../service/contract/answer-text.js'
import { fieldsOf, listIn, textIn, type Fields, type ScenarioPart } from './exchanges.js'
import { exactly, type KnownJob } from './jobs-seen.js'

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

/**
 * Reads the webhooks of a HAR file of this emulator, as parts of a scenario. A delivery that was sent again because its
 * receiver did not take it comes as often, whatever the receiver answers now.
 */
export function webhooksOfRun(log: Fields, world: string | undefined): ScenarioPart | undefined {
  const all = listIn(fieldsOf(log['_svtrain'])['webhooks']).map(fieldsOf)
  const own = all.find((each) => world === undefined || each['world'] === world)
  if (!own) return undefined
  const parts = fieldsOf(own['parts'])
  const repeated = listIn(own['repeated']).map(fieldsOf)
  const webhooks = listIn(parts['webhooks']).map((webhook) => {
    return withDuplicates(fieldsOf(webhook), repeated)
  })
  return { ...parts, webhooks }
}

function withDuplicates(webhook: Fields, repeated: readonly Fields[]): ScenarioPart {
  const own = repeated.filter((each) => each['webhook'] === webhook['name'])
  if (own.length === 0) return webhook
  const duplicates = Array.from(
    groupsOf(own, (each) => each['times']),
    ([times, alike]) => {
      return { do: 'duplicate', deliveries: alike.map((each) => each['delivery']), times }
    },
  )
  return { ...webhook, adversary: [...listIn(webhook['adversary']), ...duplicates] }
}
