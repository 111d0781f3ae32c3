import { newId, type PlatformContext } from './context.js'
import { checkLimit } from './limits.js'
import { checkJsonObject, checkName } from './names.js'
import { PlatformError, quoted } from './platform-error.js'
import type { Author } from './platform-change.js'
import type { Project } from './project.js'
import type { Projects } from './projects.js'
import { reviseRecord } from './record.js'
import { Run, RUN_TEXTS, type RunFacts } from './run.js'
import { RunFiles } from './run-files.js'
import { RunLines } from './run-lines.js'
import type { RunLog } from './run-log.js'
import { RunStates } from './run-states.js'
import { mergedFacts } from './run-writers.js'

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

/** The runs of a world. */
export class Runs {
  readonly states: RunStates
  readonly lines: RunLines
  readonly files: RunFiles
  readonly #context: PlatformContext
  readonly #projects: Projects
  readonly #byId = new Map<string, Run>()
  #created = 0

  constructor(context: PlatformContext, projects: Projects) {
    this.#context = context
    this.#projects = projects
    this.states = new RunStates(context)
    this.lines = new RunLines(context, this.states)
    this.files = new RunFiles(context)
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
      this.states.endSilent(known, author)
      this.#revise(known, facts)
      if (which.reopens ?? true) this.states.reopen(known, author)
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

  log(run: Run, sent: RunLog, author: Author): void {
    this.lines.log(run, sent, author)
  }

  /** Creates a run of a saved world. Its lines and files come after it. */
  restore(run: Run): void {
    this.#byId.set(run.id, run)
    this.#projects.named(run.entity, run.project.name)?.runs.set(run.name, run)
  }

  /** Ends a restore: counts all texts, and the runs that there ever were. */
  endRestoring(created: number): void {
    this.#created = created
    for (const run of this.all) this.#context.texts.add(run.characters)
  }

  /** Deletes a run with its history and files. Artifacts that it logged stay. */
  delete(run: Run): void {
    this.files.delete([...run.files.values()].map(({ id }) => id))
    this.#context.texts.add(-run.characters)
    this.lines.clear(run)
    run.isDeleted = true
    this.#context.changed('run', run.id, undefined)
    this.#context.changed('progress', run.id, undefined)
    this.#byId.delete(run.id)
    this.#projects.named(run.entity, run.project.name)?.runs.delete(run.name)
  }
}

/** What a client says about a run, with what the programs said that share the run with it. */
function factsOf(run: Run, { writer, reopens = true }: WhichRun, facts: RunFacts): RunFacts {
  const isShared = writer !== undefined || (reopens && run.writers.size > 0)
  return isShared ? mergedFacts(run, facts) : facts
}
