import type { JobKind } from '../../service/scenario/scenario.js'
import { fieldsOf, listIn, type Exchange, type Fields } from './exchanges.js'
import { isEnd } from './job-record.js'
import type { Span } from './times.js'

/** A model that a client created, or found. */
export interface SeenModel {
  readonly id: string
  readonly project: string
  readonly name: string
  readonly baseModel: string
}

/** A job, as far as a client saw it. Times are milliseconds since the first request. */
export interface SeenJob {
  readonly id: string
  readonly kind: JobKind
  /** Undefined if the recording does not show on which model it is. */
  readonly model: SeenModel | undefined
  /** The number of the job among the jobs of its model, as far as the client knows. */
  readonly ordinal: number
  /** When its creation was answered, or when it was first seen. */
  readonly createdAt: number
  /** The call that created it. Undefined if the recording does not have it. */
  readonly creation: Exchange | undefined
  /** Those that were listed, and the start and the end if only its record shows them. */
  readonly events: readonly SeenEvent[]
  /** False: it certainly stays as it is, unless it is over. */
  readonly goesOn: boolean
  /** The answers that show its state, in order: its record, or its events. */
  readonly polls: readonly Poll[]
  /** The last status of its record, if it has an unknown word. */
  readonly unknownStatus: string | undefined
  /** What the emulator does not say in the same way, as sentences. */
  readonly notes: readonly string[]
  /** Where events are missing, as sentences. */
  readonly losses: readonly string[]
}

/** An answer that shows the state of a job. */
export interface Poll {
  readonly answeredAt: number
  /** Whether it says anything about the state. */
  readonly isReadable: boolean
  /** Whether the recording does not have what it says. */
  readonly isMissing: boolean
}

export interface SeenEvent {
  readonly type: string
  readonly data: Fields
  /** Between which answers it happened. */
  readonly span: Span
}

/** Returns the gradient steps of a job, in order. */
export function stepsIn({ events }: Pick<SeenJob, 'events'>): SeenEvent[] {
  return events.filter(({ type }) => type === 'gradient_step')
}

export function endOf({ events }: Pick<SeenJob, 'events'>): SeenEvent | undefined {
  return events.find(isEnd)
}

/** A job as the emulator knows it that wrote a report or a HAR file. Nothing about it is a guess. */
export interface KnownJob extends Omit<SeenJob, 'creation' | 'polls' | 'losses'> {
  readonly model: SeenModel
  /** The id of the recorded request that created it. Undefined: the file does not have it. */
  readonly creationId: number | undefined
}

/** The span of what happened at a known time. */
export function exactly(at: number): Span {
  return { above: at - 1, most: at }
}

/** Only supervised jobs count their steps in the data of an event. */
export function looksSupervised(events: readonly Pick<SeenEvent, 'type' | 'data'>[]): boolean {
  const step = events.find(({ type }) => type === 'gradient_step')
  return step !== undefined && 'gradient_step' in step.data && !('reward' in step.data)
}

/** How many trajectories a client submitted. Undefined if the recording does not show it. */
export function trajectoriesOf({ creation }: SeenJob): number | undefined {
  const groups = listIn(fieldsOf(creation?.sent)['trajectory_groups'])
  const count = groups.flatMap((group) => listIn(fieldsOf(group)['trajectories'])).length
  return count === 0 ? undefined : count
}
