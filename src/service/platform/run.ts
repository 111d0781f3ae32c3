import { RUN_STATES } from '../scenario/run-states.js'
import { LineStream } from './line-stream.js'
import type { ProjectRecord } from './project-record.js'
import * as field from './field.js'
import { recordClass } from './record.js'
import { RunHistory } from './run-history.js'
import type { FileOwner, StoredFile } from './stored-file.js'

/** The facts that are texts of any length. */
export const RUN_TEXTS = [
  'displayName',
  'description',
  'notes',
  'group',
  'jobType',
  'program',
  'host',
  'commit',
  'sweep',
  // The last two are JSON objects as text.
  'config',
  'summary',
] as const

/** What a client says about a run. Fields that are undefined stay as they are. */
export interface RunFacts extends Partial<
  Readonly<Record<(typeof RUN_TEXTS)[number], string | undefined>>
> {
  readonly tags?: readonly string[] | undefined
}

/** The streams of lines that a program writes. */
export const RUN_STREAMS = ['history', 'events', 'output'] as const
export type RunStream = (typeof RUN_STREAMS)[number]

/** How many lines one of several programs has sent to each stream of their run. */
export type SentLines = Readonly<Record<RunStream, number>>

/** What is saved of a run when something is said about it. */
export const RUN = {
  project: field.link<ProjectRecord>(),
  /** Its name in addresses, unique in its project. Clients call it the id of the run. */
  name: field.fixed(field.name),
  /** The user that created it. */
  user: field.fixed(field.text),
  createdAt: field.fixed(field.moment),
  displayName: field.text,
  description: field.withDefault(field.text, ''),
  notes: field.withDefault(field.text, ''),
  group: field.withDefault(field.text, ''),
  jobType: field.withDefault(field.text, ''),
  program: field.withDefault(field.text, ''),
  host: field.withDefault(field.text, ''),
  commit: field.withDefault(field.text, ''),
  sweep: field.withDefault(field.text, ''),
  /** As its client sent it. */
  config: field.withDefault(field.jsonObject, '{}'),
  tags: field.withDefault(field.textList, []),
}

/** What is saved of a run with each line. */
export const RUN_PROGRESS = {
  /** The last value of each metric. */
  summary: field.withDefault(field.jsonObject, '{}'),
  state: field.withDefault(field.choice(...RUN_STATES), 'running'),
  /** What its program exited with. Undefined while it runs. */
  exitCode: field.optional(field.number),
  /** Whether somebody asked it to stop. */
  stopping: field.flag,
  /** Whether a program opened it again, and has logged nothing since. */
  isReopened: field.flag,
  /** When its client was last heard. */
  heartbeatAt: field.moment,
}

/** A run: what one program logged. */
export class Run extends recordClass({ ...RUN, ...RUN_PROGRESS }) implements FileOwner {
  /** Whether it is deleted. Artifacts may still have it. */
  isDeleted = false
  /** The programs that share it, by the name that each has for itself, with what each has sent. */
  readonly writers = new Map<string, SentLines>()
  readonly history = new RunHistory()
  /** Metrics of the machine, in the form of the history. */
  readonly events = new LineStream()
  /** What it printed. */
  readonly output = new LineStream()
  /** By path. */
  readonly files = new Map<string, StoredFile>()
  readonly sealed = undefined

  get entity(): string {
    return this.project.entity
  }

  /** `team/project/name`, as clients name it. */
  get path(): string {
    return `${this.entity}/${this.project.name}/${this.name}`
  }

  /** How many characters it holds. */
  get characters(): number {
    const { history, events, output } = this
    const streams = history.characters + events.characters + output.characters
    return RUN_TEXTS.reduce((sum, name) => sum + this[name].length, streams)
  }
}
