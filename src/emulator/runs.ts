import { OWN_CONFIG } from '../base/text/vendor/platform-names.js'
import { toIso } from '../base/text/iso.js'
import { finite } from '../base/text/non-finite.js'
import { checkArgument, nonEmptyText, oneOf, Options, wholeNumber } from '../base/text/options.js'
import type { Engine } from '../service/engine/engine.js'
import type { Artifact } from '../service/platform/artifact.js'
import { spread } from '../service/platform/run-history.js'
import { metricsIn, numberIn, rowOf } from '../service/platform/run-row.js'
import { RUN_STATES, type RunState } from '../service/scenario/run-states.js'
import type { Run } from '../service/platform/run.js'
import type { StoredFile } from '../service/platform/stored-file.js'
import { NotFoundError } from '../webhooks/sending/webhooks.js'
import { findNamed, notFound, readContents } from './find-named.js'

/** Which runs are listed. Default: all. */
export interface RunsWhere {
  /** The team or the user that owns them. */
  entity?: string | undefined
  /** The name of a project. */
  project?: string | undefined
  /** The state: `running`, `finished`, `failed`, `crashed`, `killed`, `preempting`, `preempted` or `pending`. */
  state?: RunState | undefined
  /** The most runs; the newest. */
  limit?: number | undefined
}

export const runsWhere = new Options<RunsWhere>('runs.list', {
  entity: nonEmptyText,
  project: nonEmptyText,
  state: oneOf(...RUN_STATES),
  limit: wholeNumber({ least: 1 }),
})

/** Which part of a history is read. Default: all of it. */
export interface HistoryOptions {
  /** One metric. Rows without it are left out. */
  metric?: string | undefined
  /** The most rows. Others are left out at equal distances; the first and the last one stay. */
  points?: number | undefined
}

export const historyOptions = new Options<HistoryOptions>('runs.history', {
  metric: nonEmptyText,
  points: wholeNumber({ least: 2 }),
})

/** A run in a list. */
export interface ListedRun {
  /** `entity/project/name`, as clients name it. */
  path: string
  /** The team or the user that owns it. */
  entity: string
  /** Its project. */
  project: string
  /** Its name in addresses. Clients call it the id of the run. */
  name: string
  /** Its name for people. */
  display_name: string
  /** The user that created it. */
  user: string
  /** Its state. */
  state: RunState
  /** What its program exited with. Null while it runs. */
  exit_code: number | null
  /** When it was created, as an ISO 8601 time. */
  created_at: string
  /** When its program was last heard, as an ISO 8601 time. */
  updated_at: string
  /** Its group. Empty if it has none. */
  group: string
  /** The kind of its work, such as `train`. Empty if it has none. */
  job_type: string
  /** Its tags. */
  tags: string[]
  /** How many rows its history has. */
  rows: number
  /** The last step. Null without rows. */
  last_step: number | null
  /** The last value of each metric, by name. Null if it is not finite. */
  metrics: Record<string, number | null>
}

/** A run with what it logged. */
export interface RunDetails extends ListedRun {
  /** Its notes. Empty if it has none. */
  notes: string
  /** What its program said about its settings. */
  config: Record<string, unknown>
  /** The last value of everything that it logged, and what its program set. */
  summary: Record<string, unknown>
  /** Its files that were uploaded. */
  files: StoredContent[]
  /** The artifacts that it logged: `entity/project/name:v0`. */
  logged_artifacts: string[]
  /** The artifacts that it used. */
  used_artifacts: string[]
}

/** A file of a run or of an artifact. */
export interface StoredContent {
  /** Such as `config.yaml`. */
  path: string
  /** Bytes. */
  size: number
  /** The MD5 of its content, in base64. */
  digest: string
}

/** What a run logged at one step. */
export interface HistoryRow {
  /** The step. */
  step: number
  /** The values by name. Numbers that are not finite are texts, such as `NaN`. */
  values: Record<string, unknown>
}

/** Reads what clients logged to runs: `emulator.runs`. */
export class Runs {
  readonly #world: { readonly engine: Engine }

  constructor(world: { readonly engine: Engine }) {
    this.#world = world
  }

  /**
   * Returns runs, the newest first.
   *
   * @param where Which runs. Default: all.
   * @throws {OptionsError} When a filter can't be used.
   * @example
   * const finished = emulator.runs.list({ project: 'verse', state: 'finished' })
   */
  list(where: RunsWhere = {}): ListedRun[] {
    runsWhere.check(where)
    const { entity, project, state, limit } = where
    const found = [...this.#world.engine.platformWithCheckpoints().runs.all].filter((run) => {
      return (
        (entity === undefined || run.entity === entity) &&
        (project === undefined || run.project.name === project) &&
        (state === undefined || run.state === state)
      )
    })
    return found.reverse().slice(0, limit).map(listedRun)
  }

  /**
   * Returns a run with its config, its summary and its files.
   *
   * @param which Its path `entity/project/name`, or its name alone. Default: the newest run.
   * @throws {NotFoundError} When there is no such run. The message has the nearest one.
   * @throws {OptionsError} When `which` can't be used.
   * @example
   * const { state, config, summary } = emulator.runs.get('local-team/verse/poem')
   */
  get(which?: string): RunDetails {
    return runDetails(this.#world.engine, this.find(which, 'runs.get'))
  }

  /**
   * Returns what a run logged, in the order in which its program sent it.
   *
   * @param which Its path `entity/project/name`, or its name alone. Default: the newest run.
   * @param options One metric, and the most rows.
   * @throws {NotFoundError} When there is no such run, or it did not log the metric. The message has the nearest one.
   * @throws {OptionsError} When an argument can't be used.
   * @example
   * const rows = emulator.runs.history('poem', { metric: 'val/reward' })
   * console.log(rows.map(({ step, values }) => [step, values['val/reward']]))
   */
  history(which?: string, options: HistoryOptions = {}): HistoryRow[] {
    historyOptions.check(options)
    const run = this.find(which, 'runs.history')
    const { metric, points } = options
    const rows = historyOf(run)
    const wanted = metric === undefined ? rows : rows.flatMap((row) => withOnly(row, metric))
    if (metric !== undefined && wanted.length === 0) {
      const names = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))]
      throw notFound(`the run ${run.path} logged no metric`, metric, names)
    }
    return points === undefined ? wanted : spread(wanted, points)
  }

  /**
   * Returns the content of a file of a run.
   *
   * @param which The run: its path `entity/project/name`, or its name alone.
   * @param path The path of the file, such as `config.yaml`.
   * @throws {NotFoundError} When there is no such run or file. The message has the nearest one.
   * @throws {OptionsError} When an argument can't be used.
   * @example
   * const bytes = await emulator.runs.download('poem', 'config.yaml')
   */
  async download(which: string, path: string): Promise<Uint8Array> {
    checkArgument('runs.download', { name: 'path', value: path, kind: nonEmptyText })
    const run = this.find(which, 'runs.download')
    const { blobs } = this.#world.engine.platformWithCheckpoints()
    const content = readContents(() => run.files.get(path)?.read(blobs))
    if (content) return content
    throw notFound(
      `the run ${run.path} has no file`,
      path,
      filesOf(run).map((file) => file.path),
    )
  }

  /**
   * Finds a run.
   *
   * @param of The function that was called, for errors.
   * @throws {NotFoundError} When there is no such run.
   * @internal
   */
  find(which: string | undefined, of: string): Run {
    const runs = [...this.#world.engine.platformWithCheckpoints().runs.all]
    if (which === undefined) {
      const newest = runs.at(-1)
      if (newest) return newest
      throw new NotFoundError(
        'There is no run. A run begins when a program opens it at the address of the training API.',
      )
    }
    checkArgument(of, { name: 'which', value: which, kind: nonEmptyText })
    return findNamed(runs, which, 'run')
  }
}

function listedRun(run: Run): ListedRun {
  const { lastStep, length } = run.history
  return {
    path: run.path,
    entity: run.entity,
    project: run.project.name,
    name: run.name,
    display_name: run.displayName,
    user: run.user,
    state: run.state,
    exit_code: run.exitCode ?? null,
    created_at: toIso(run.createdAt),
    updated_at: toIso(run.heartbeatAt),
    group: run.group,
    job_type: run.jobType,
    tags: [...run.tags],
    rows: length,
    last_step: lastStep < 0 ? null : lastStep,
    metrics: numbersIn(rowOf(run.summary) ?? {}),
  }
}

function runDetails(engine: Engine, run: Run): RunDetails {
  const artifacts = [...engine.platformWithCheckpoints().artifacts.all]
  const { [OWN_CONFIG]: _config, ...config } = rowOf(run.config) ?? {}
  const { [OWN_CONFIG]: _summary, ...summary } = rowOf(run.summary) ?? {}
  return {
    ...listedRun(run),
    notes: run.notes,
    config: Object.fromEntries(Object.entries(config).map(([key, each]) => [key, valueOf(each)])),
    summary,
    files: filesOf(run),
    logged_artifacts: pathsOf(artifacts.filter((each) => each.isLoggedBy(run))),
    used_artifacts: pathsOf(artifacts.filter(({ usedBy }) => usedBy.has(run))),
  }
}

/** A config wraps each setting: `{ "lr": { "value": 0.1 } }`. */
function valueOf(setting: unknown): unknown {
  const isWrapped = typeof setting === 'object' && setting !== null && 'value' in setting
  return isWrapped ? setting.value : setting
}

/** What SDKs add to a row and to a summary begins with an underscore: the step, and times. */
function numbersIn(values: Readonly<Record<string, unknown>>): Record<string, number | null> {
  return Object.fromEntries(
    Object.entries(metricsIn(values)).flatMap(([name, value]) => {
      const number = numberIn(value)
      return number === undefined ? [] : [[name, finite(number)]]
    }),
  )
}

function pathsOf(artifacts: readonly Artifact[]): string[] {
  return artifacts.flatMap(({ version }) => version?.path ?? [])
}

/** The files with a content. */
function filesOf({ files }: Run): StoredContent[] {
  return [...files.values()].flatMap(({ path, size, digest }: StoredFile) => {
    return digest === undefined ? [] : [{ path, size, digest }]
  })
}

/** What a run logged, in its order. */
export function historyOf({ history }: Run): HistoryRow[] {
  return history.lines.flatMap((line, index) => {
    const row = rowOf(line)
    if (!row) return []
    const step = row['_step']
    return [{ step: typeof step === 'number' ? step : index, values: metricsIn(row) }]
  })
}

function withOnly({ step, values }: HistoryRow, metric: string): HistoryRow[] {
  return Object.hasOwn(values, metric) ? [{ step, values: { [metric]: values[metric] } }] : []
}
