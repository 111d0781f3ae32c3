import type { JobKind } from '../../service/scenario/scenario.js'
import { readJson } from '../../service/contract/answer-text.js'
import { fieldsOf, listIn, textIn, type Fields } from './exchanges.js'

/** A job as the emulator knows it that wrote a report or a HAR file. Nothing about it is a guess. */
export interface JobOfRun {
  readonly id: string
  readonly kind: JobKind
  readonly model: Readonly<Record<'id' | 'entity' | 'project' | 'name', string>>
  readonly ordinal: number
  /** The id of the recorded request that created it. Undefined: the file does not have it. */
  readonly creationId: number | undefined
  /** In milliseconds since the epoch. */
  readonly createdAt: number
  /** False: it stays as it is. */
  readonly goesOn: boolean
  /** Times are milliseconds since the creation. */
  readonly events: readonly { id: string; type: string; data: Fields; at: number }[]
}

/**
 * Reads the jobs of a HAR file of this emulator.
 *
 * @param requests The ids of recorded requests, by the ids of the emulator.
 */
export function jobsOfRun(
  log: Fields,
  { world, requests }: { world: string | undefined; requests: ReadonlyMap<unknown, number> },
): JobOfRun[] {
  return listIn(fieldsOf(log['_svtrain'])['jobs']).flatMap((item) => {
    const job = fieldsOf(item)
    const { id, kind, ordinal, request_id, created_at, goes_on } = job
    const createdAt = Date.parse(String(created_at))
    if (typeof id !== 'string' || typeof ordinal !== 'number' || Number.isNaN(createdAt)) return []
    if (world !== undefined && job['world'] !== world) return []
    const model = fieldsOf(job['model'])
    const times = listIn(job['times'])
    const events = listIn(job['events']).map((text, index) => {
      const event = fieldsOf(readJson(String(text))?.value)
      return {
        id: String(event['id']),
        type: String(event['type']),
        data: fieldsOf(event['data']),
        at: Number(times[index]),
      }
    })
    return {
      id,
      kind: kind === 'sft' ? 'sft' : 'rl',
      model: {
        id: textIn(model['id']) ?? '',
        entity: textIn(model['entity']) ?? '',
        project: textIn(model['project']) ?? '',
        name: textIn(model['name']) ?? '',
      },
      ordinal,
      creationId: requests.get(request_id),
      createdAt,
      goesOn: goes_on !== false,
      events,
    }
  })
}
