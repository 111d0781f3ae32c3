import { counted } from '../../base/text/counted.js'
import { fieldsOf, textIn, type Fields } from './exchanges.js'
import {
  endIn,
  isEnd,
  isStart,
  readRecord,
  startIn,
  timeIn,
  withEnds,
  type JobRecord,
} from './job-record.js'
import { exactly, looksSupervised, type SeenEvent, type SeenJob } from './seen-job.js'

interface Draft {
  readonly type: string
  readonly data: Fields
  /** When it happened, in milliseconds of the clock of the service. */
  readonly time: number | undefined
}

/**
 * Returns the job of events that were read from the service, without the calls of a client.
 *
 * @param record What the service says about the whole job.
 */
export function jobOfEvents(
  listed: readonly Fields[],
  record: Fields = {},
): { job: SeenJob; notes: string[] } {
  const said = readRecord(record)
  const { created } = said.times
  const found = draftsOf(listed)
  const ordered = inOrder(found)
  const isReordered = ordered.some((draft, place) => draft !== found[place])
  const drafts = withRecord(ordered, said)
  const first = drafts.find(({ time }) => time !== undefined)?.time
  const hasCreation = created !== undefined && first !== undefined
  const createdAt = hasCreation ? created : (first ?? 0) - SECOND * (first === undefined ? 0 : 1)
  const times = spread([createdAt, ...drafts.map(({ time }) => time)]).slice(1)
  const events = drafts.map(({ type, data }, index): SeenEvent => {
    return { type, data, span: exactly(times[index]! - createdAt) }
  })
  const { kind } = said
  const job: SeenJob = {
    id: textIn(record['id']) ?? '',
    kind: kind === 'sft' || (kind !== 'rl' && looksSupervised(drafts)) ? 'sft' : 'rl',
    model: undefined,
    ordinal: 1,
    createdAt: 0,
    creation: undefined,
    events,
    goesOn: true,
    polls: [],
    unknownStatus: undefined,
    notes: [],
    losses: isReordered
      ? ['its events are not in the order of time. Here they are, from the oldest to the newest.']
      : [],
  }
  return { job, notes: timeNotes(drafts, hasCreation) }
}

const SECOND = 1000

/** Pages may overlap. */
function draftsOf(listed: readonly Fields[]): Draft[] {
  const known = new Map<unknown, Draft>()
  for (const [index, { id, type, data, created_at, timestamp, at }] of listed.entries()) {
    const key = textIn(id) ?? index
    const time = timeIn(created_at ?? timestamp ?? at)
    if (!known.has(key)) known.set(key, { type: String(type), data: fieldsOf(data), time })
  }
  return [...known.values()]
}

/** The order of time. A list may have the newest first. */
function inOrder(drafts: readonly Draft[]): Draft[] {
  const [first, last] = [drafts.at(0), drafts.at(-1)]
  if (!first || !last || first === last) return [...drafts]
  const isNewestFirst = isEnd(first) || isStart(last) || (first.time ?? NaN) > (last.time ?? NaN)
  const ordered = isNewestFirst ? drafts.toReversed() : [...drafts]
  const isTimed = ordered.every(({ time }) => time !== undefined)
  return isTimed ? ordered.sort((one, other) => one.time! - other.time!) : ordered
}

/** Adds the start, the end and their times, as the record says them. */
function withRecord(drafts: readonly Draft[], record: JobRecord): Draft[] {
  const { started, ended } = record.times
  const all = drafts.map((draft): Draft => {
    if (isStart(draft)) return { ...draft, time: draft.time ?? started }
    return isEnd(draft) ? { ...draft, time: draft.time ?? ended } : draft
  })
  const start = startIn(record)
  const end = endIn(record)
  return withEnds(all, {
    start: start && { ...start, time: started },
    end: end && { ...end, time: ended },
  })
}

/** Gives a time to what has none: evenly between the others, and one second apart after the last one. */
function spread(times: readonly (number | undefined)[]): number[] {
  const all: number[] = []
  for (const [index, time] of times.entries()) {
    const before = all.at(-1) ?? time ?? 0
    const next = times.slice(index).findIndex((each) => each !== undefined)
    // Whole milliseconds: what is left over comes before the next known time.
    const gap = next === -1 ? SECOND : Math.floor((times[index + next]! - before) / (next + 1))
    all.push(time ?? before + Math.max(0, gap))
  }
  return all
}

function timeNotes(drafts: readonly Draft[], hasCreation: boolean): string[] {
  const missing = drafts.filter(({ time }) => time === undefined).length
  if (missing === drafts.length) {
    return ['Nothing says when its events happened, so there is one second between two of them.']
  }
  return [
    !hasCreation && 'Nothing says when it was created. Its first event comes after a second.',
    missing > 0 &&
      `Nothing says when ${missing} of its ${counted(drafts.length, 'event')} happened. Here they lie evenly between the others.`,
  ].filter((note) => note !== false)
}
