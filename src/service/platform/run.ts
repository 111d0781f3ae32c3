import type { RunState } from '../scenario/run-states.js'
import { LineStream } from './line-stream.js'
import type { ProjectRecord } from './project-record.js'
import { RunHistory } from './run-history.js'
import type { FileOwner, StoredFile } from './stored-file.js'

/** What a client says about a run. Fields that are undefined stay as they are. */
export interface RunFacts {
  readonly displayName?: string | undefined
  readonly description?: string | undefined
  readonly notes?: string | undefined
  readonly group?: string | undefined
  readonly jobType?: string | undefined
  readonly program?: string | undefined
  readonly host?: string | undefined
  readonly commit?: string | undefined
  readonly sweep?: string | undefined
  readonly tags?: readonly string[] | undefined
  /** A JSON object as text. */
  readonly config?: string | undefined
  /** A JSON object as text. */
  readonly summary?: string | undefined
}

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
  'config',
  'summary',
] as const

/** The streams of lines that a program writes. */
export const RUN_STREAMS = ['history', 'events', 'output'] as const
export type RunStream = (typeof RUN_STREAMS)[number]

/** How many lines one of several programs has sent to each stream of their run. */
export type SentLines = Readonly<Record<RunStream, number>>

/** What a run is made of. */
export interface RunMade {
  readonly id: string
  readonly name: string
  readonly project: ProjectRecord
  readonly user: string
  readonly at: number
}

/** A run: what one program logged. */
export class Run implements FileOwner {
  /** The id that the platform gave it. */
  readonly id: string
  /** Its name in addresses, unique in its project. Clients call it the id of the run. */
  readonly name: string
  readonly project: ProjectRecord
  /** The user that created it. */
  readonly user: string
  /** Milliseconds since the epoch, on the clock of the world. */
  readonly createdAt: number
  /** When its client was last heard, in milliseconds since the epoch. */
  heartbeatAt: number
  displayName: string
  description = ''
  notes = ''
  group = ''
  jobType = ''
  program = ''
  host = ''
  commit = ''
  sweep = ''
  tags: readonly string[] = []
  /** A JSON object as text, as its client sent it. */
  config = '{}'
  /** The last value of each metric: a JSON object as text. */
  summary = '{}'
  state: RunState = 'running'
  /** What its program exited with. Undefined while it runs. */
  exitCode: number | undefined
  /** Whether somebody asked it to stop. */
  stopping = false
  /** Whether it is deleted. Artifacts may still have it. */
  isDeleted = false
  /** Whether a program opened it again, and has logged nothing since. */
  isReopened = false
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

  constructor({ id, name, project, user, at }: RunMade) {
    this.id = id
    this.name = name
    this.displayName = name
    this.project = project
    this.user = user
    this.createdAt = at
    this.heartbeatAt = at
  }

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

  /** Takes what a client says. */
  revise(facts: RunFacts): void {
    for (const [key, value] of Object.entries(facts)) {
      if (value !== undefined) Object.assign(this, { [key]: value })
    }
  }
}
