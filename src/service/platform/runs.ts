import { RUN_STATES, type RunState } from '../scenario/run-states.js'
import { newId, type PlatformContext } from './context.js'
import { checkLimit } from './limits.js'
import { checkOffset } from './line-stream.js'
import { checkJsonObject, checkName, checkPath } from './names.js'
import { PlatformError, quoted } from './platform-error.js'
import type { Author } from './platform-change.js'
import type { Project } from './project.js'
import type { Projects } from './projects.js'
import { Run, RUN_STREAMS, RUN_TEXTS, type RunFacts, type RunStream } from './run.js'
import { lineKey, LINES_IN_CHUNK, type LineChunk } from './savable.js'
import { newLines, type RunLog, type WrittenLines } from './run-log.js'
import { countSent, logBehindAll, mergedFacts } from './run-writers.js'
import { reviseRecord, type SavedOf } from './record.js'
import { StoredFile, type FILE } from './stored-file.js'

/** A run by its name in a project. */
export interface RunPlace {
  readonly entity: string
  readonly project: string
  readonly name: string
}

/** Which run a client means. */
export interface WhichRun extends Omit<RunPlace, 'name'> {
  /** The run that it names by its id. Default: the one with the name. */
  readonly run?: Run | undefined
  /** Default: a new name. */
  readonly name?: string | undefined
  /** The program, if several share the run. Their configs are merged by key. */
  readonly writer?: string | undefined
  /** Whether a program begins to log, and nobody only changes what is said about the run. Default: true. */
  readonly reopens?: boolean | undefined
}

/** A file of a run of a saved world. */
type RestoredFile = SavedOf<typeof FILE> & { readonly id: string }

/** After how many milliseconds without its program a run counts as ended. */
const SILENCE = 300_000

/** The runs of a world. */
export class Runs {
  readonly #context: PlatformContext
  readonly #projects: Projects
  readonly #byId = new Map<string, Run>()
  #created = 0

  constructor(context: PlatformContext, projects: Projects) {
    this.#context = context
    this.#projects = projects
  }

  /** How many runs there ever were. */
  get created(): number {
    return this.#created
  }

  /** All runs, in the order of their creation. */
  get all(): Iterable<Run> {
    return this.#byId.values()
  }

  withId(id: string): Run | undefined {
    return this.#byId.get(id)
  }

  find({ entity, project, name }: RunPlace): Run | undefined {
    return this.#projects.named(entity, project)?.runs.get(name)
  }

  /** @throws {PlatformError} When there is no such run. */
  get(place: RunPlace): Run {
    const run = this.find(place)
    if (run) return run
    const { entity, project, name } = place
    throw new PlatformError(
      'not-found',
      `There is no run ${quoted(`${entity}/${project}/${name}`)}.`,
    )
  }

  /**
   * Finds or creates a run, and takes what the client says about it. A run that was over runs again.
   *
   * @throws {PlatformError} When something about it is not allowed. Nothing changes.
   */
  upsert(which: WhichRun, said: RunFacts, author: Author): { run: Run; created: boolean } {
    const { entity, project: projectName } = which
    const name =
      which.name ?? this.#context.random.token(8, 'run', entity, projectName, this.#created)
    const known = which.run ?? this.find({ entity, project: projectName, name })
    const facts = known ? factsOf(known, which, said) : said
    this.#checkFacts(facts, known)
    if (known) {
      this.#endSilent(known, author)
      this.#revise(known, facts)
      if (which.reopens ?? true) this.#reopen(known, author)
      return { run: known, created: false }
    }
    this.#projects.check(entity, projectName)
    checkName('run', name)
    checkLimit(this.#context.limits, 'runs', this.#byId.size + 1)
    const project = this.#projects.open(entity, projectName, author)
    return { run: this.#create(project, name, { facts, author }), created: true }
  }

  #create(
    project: Project,
    name: string,
    { facts, author }: { facts: RunFacts; author: Author },
  ): Run {
    const id = newId(this.#context, 'Run', project.entity, project.name, name, this.#created++)
    const at = this.#context.now()
    const { user } = author
    const made = { project, name, user, createdAt: at, displayName: name, heartbeatAt: at }
    const run = new Run(id, made)
    this.#byId.set(id, run)
    project.runs.set(name, run)
    this.#context.texts.add(run.characters)
    this.#context.changed('counters', '', undefined)
    this.#revise(run, facts)
    this.#context.report({ type: 'run_created', run }, author)
    return run
  }

  #checkFacts(facts: RunFacts, run: Run | undefined): void {
    const { config, summary, tags = [] } = facts
    if (config !== undefined) checkJsonObject('config', config)
    if (summary !== undefined) checkJsonObject('summary', summary)
    for (const tag of tags) checkName('tag', tag)
    checkLimit(this.#context.limits, 'aliases', tags.length)
    const more = RUN_TEXTS.map((name) => {
      return facts[name] === undefined ? 0 : facts[name].length - (run?.[name].length ?? 0)
    })
    this.#context.texts.check(more.reduce((sum, each) => sum + each, 0))
  }

  #revise(run: Run, facts: RunFacts): void {
    const before = run.characters
    reviseRecord(run, facts)
    this.#context.texts.add(run.characters - before)
    run.heartbeatAt = this.#context.now()
    this.#context.changed('run', run.id, run)
    this.#context.changed('progress', run.id, run)
  }

  /** A run that was to be preempted, and went silent, was. */
  #endSilent(run: Run, author: Author): void {
    const isSilent = this.#context.now() - run.heartbeatAt > SILENCE
    if (run.state === 'preempting' && isSilent) this.setState(run, 'preempted', author)
  }

  #reopen(run: Run, author: Author): void {
    // A program may still change its config when it knows that it will be preempted.
    if (run.state === 'running' || run.state === 'preempting') return
    run.exitCode = undefined
    run.isReopened = true
    this.setState(run, 'running', author)
  }

  /**
   * Takes what a program logs.
   *
   * @throws {PlatformError} When something of it is not allowed. Nothing changes.
   */
  log(run: Run, sent: RunLog, author: Author): void {
    const { writer } = sent
    if (writer !== undefined) this.#checkWriter(run, writer)
    const log = writer === undefined ? sent : logBehindAll(run, writer, sent)
    this.#checkLog(run, log)
    if (writer !== undefined) countSent(run, writer, sent)
    const before = run.characters
    const added = newLines(run, log.history)
    for (const stream of RUN_STREAMS) {
      const written = log[stream]
      if (written) this.#write(run, stream, written)
    }
    if (log.history || log.output) run.isReopened = false
    if (log.summary !== undefined) run.summary = log.summary
    this.#context.texts.add(run.characters - before)
    run.heartbeatAt = this.#context.now()
    this.#context.changed('progress', run.id, run)
    if (added.lines.length > 0) {
      const { offset: first, lines } = added
      this.#context.report({ type: 'metrics_logged', run, first, lines }, author)
    }
    if (log.preempting) this.setState(run, 'preempting', author)
    if (log.complete) this.finish(run, log.exitCode ?? 0, author)
  }

  #checkWriter(run: Run, writer: string): void {
    checkName('writer', writer)
    const added = run.writers.has(writer) ? 0 : 1
    checkLimit(this.#context.limits, 'writers', run.writers.size + added)
  }

  #checkLog(run: Run, log: RunLog): void {
    const { limits } = this.#context
    if (log.summary !== undefined) checkJsonObject('summary', log.summary)
    let more = log.summary === undefined ? 0 : log.summary.length - run.summary.length
    for (const stream of RUN_STREAMS) {
      const { offset = 0, lines = [] } = log[stream] ?? {}
      checkOffset(offset)
      checkLimit(limits, 'historyLines', offset + lines.length)
      more += run[stream].growth(offset, lines)
    }
    this.#context.texts.check(more)
  }

  #write(run: Run, stream: RunStream, { offset, lines }: WrittenLines): void {
    const { length } = run[stream]
    // A program that opened a run again, and writes from the start, replaces what was there.
    const replaces = run.isReopened && offset === 0
    if (replaces) run[stream].clear()
    run[stream].write(offset, lines)
    this.#linesChanged(
      { run, stream },
      {
        from: Math.min(offset, length),
        to: Math.max(offset + lines.length, replaces ? length : 0),
      },
    )
  }

  #linesChanged(
    of: { readonly run: Run; readonly stream: RunStream },
    { from, to }: { from: number; to: number },
  ): void {
    const first = Math.floor(from / LINES_IN_CHUNK)
    for (let index = first; index * LINES_IN_CHUNK < to; index++) {
      const chunk = { ...of, index }
      this.#context.changed('lines', lineKey(chunk), chunk)
    }
  }

  /** Ends a run: `finished` if its program exited with 0, and otherwise `failed`, or `preempted` if it was to be. */
  finish(run: Run, exitCode: number, author: Author): void {
    run.exitCode = exitCode
    this.#context.changed('progress', run.id, run)
    const failed = run.state === 'preempting' ? 'preempted' : 'failed'
    this.setState(run, exitCode === 0 ? 'finished' : failed, author)
  }

  setState(run: Run, state: RunState, author: Author): void {
    const before = run.state
    if (before === state) return
    run.state = state
    this.#context.changed('progress', run.id, run)
    this.#context.report({ type: 'run_state_changed', run, before }, author)
  }

  /** Asks the program of a run to stop. */
  stop(run: Run): void {
    run.stopping = true
    this.#context.changed('progress', run.id, run)
  }

  /**
   * Finds or creates files of a run. Their contents come later.
   *
   * @throws {PlatformError} When a path is not allowed, or there are too many. Nothing is created.
   */
  openFiles(run: Run, paths: readonly string[]): StoredFile[] {
    const added = new Set(paths.map(checkPath).filter((path) => !run.files.has(path)))
    checkLimit(this.#context.limits, 'runFiles', run.files.size + added.size)
    return paths.map((path) => run.files.get(path) ?? this.#addFile(run, path))
  }

  #addFile(run: Run, path: string): StoredFile {
    const { files, now } = this.#context
    const id = newId(this.#context, 'RunFile', run.id, path)
    const changed = this.#fileChanged(run)
    const file = new StoredFile({ id, path, owner: run, changed }, now())
    run.files.set(path, file)
    files.set(id, file)
    changed(file)
    return file
  }

  #fileChanged(run: Run): (file: StoredFile) => void {
    return (file) => this.#context.changed('runFile', file.id, { run, file })
  }

  /** Creates a run of a saved world. Its lines and files come after it. */
  restore(run: Run): void {
    this.#byId.set(run.id, run)
    this.#projects.named(run.entity, run.project.name)?.runs.set(run.name, run)
  }

  /** Adds the lines of a chunk of a saved world. Null: nobody wrote that place. */
  restoreLines({ run, stream, index }: LineChunk, lines: readonly (string | null)[]): void {
    for (const [at, line] of lines.entries()) {
      const place = index * LINES_IN_CHUNK + at
      if (line === null) run[stream].write(place + 1, [])
      else run[stream].write(place, [line])
    }
  }

  /** Creates a file of a run of a saved world. */
  restoreFile(run: Run, { id, path, digest, updatedAt }: RestoredFile): void {
    const { files, blobs } = this.#context
    const changed = this.#fileChanged(run)
    const file = new StoredFile({ id, path, owner: run, changed }, updatedAt)
    file.restore(digest, blobs)
    run.files.set(path, file)
    files.set(id, file)
  }

  /** Ends a restore: counts all texts, and the runs that there ever were. */
  endRestoring(created: number): void {
    this.#created = created
    for (const run of this.all) this.#context.texts.add(run.characters)
  }

  /** Deletes files of a run. Unknown ids are ignored: another call may have deleted them. */
  deleteFiles(ids: readonly string[]): void {
    for (const run of this.all) {
      for (const [path, file] of run.files) {
        if (!ids.includes(file.id)) continue
        this.#forgetFile(file)
        run.files.delete(path)
      }
    }
  }

  /** Deletes a run with its history and files. Artifacts that it logged stay. */
  delete(run: Run): void {
    for (const file of run.files.values()) this.#forgetFile(file)
    this.#context.texts.add(-run.characters)
    for (const stream of RUN_STREAMS) {
      const { length } = run[stream]
      run[stream].clear()
      this.#linesChanged({ run, stream }, { from: 0, to: length })
    }
    run.isDeleted = true
    this.#context.changed('run', run.id, undefined)
    this.#context.changed('progress', run.id, undefined)
    this.#byId.delete(run.id)
    this.#projects.named(run.entity, run.project.name)?.runs.delete(run.name)
  }

  #forgetFile(file: StoredFile): void {
    file.release(this.#context.blobs)
    this.#context.files.delete(file.id)
    this.#context.changed('runFile', file.id, undefined)
  }
}

/** @throws {PlatformError} When there is no such state. */
export function runStateOf(state: string): RunState {
  if (RUN_STATES.includes(state as RunState)) return state as RunState
  throw new PlatformError(
    'invalid',
    `The state of the run is ${quoted(state)}; allowed: ${RUN_STATES.join(', ')}.`,
  )
}

/** What a client says about a run, with what the programs said that share the run with it. */
function factsOf(run: Run, { writer, reopens = true }: WhichRun, facts: RunFacts): RunFacts {
  const isShared = writer !== undefined || (reopens && run.writers.size > 0)
  return isShared ? mergedFacts(run, facts) : facts
}
