import { counted } from '../../base/text/counted.js'
import { didYouMean } from '../../base/text/nearest.js'
import {
  checkArgument,
  either,
  valueKind,
  nonEmptyText,
  Options,
  wholeNumber,
} from '../../base/text/options.js'
import { shown } from '../../base/text/shown.js'
import { Artifacts } from '../../emulator/artifacts.js'
import { collectionDetails } from '../../emulator/artifact-details.js'
import { Runs, type HistoryRow } from '../../emulator/runs.js'
import { partOf, type Verdict } from './verdict.js'

/** An emulator, or its `runs`. */
export type WithRuns = Runs | { readonly runs: Runs }

/** An emulator, or its `artifacts`. */
export type WithArtifacts = Artifacts | { readonly artifacts: Artifacts }

/** The options of `toHaveLoggedMetric` and `assertLoggedMetric`. */
export interface LoggedMetric {
  /** The run: its path `entity/project/name`, or its name alone. Default: the newest run. */
  run?: string
  /** The step of the run: its row, which may differ from the step of the training. Default: any. */
  step?: number
  /** The step of the training, which the row names `training_step`. Default: any. */
  trainingStep?: number
  /** The value, or a function that says whether a value at a step is right. Default: any value. */
  value?: number | string | ((value: unknown, step: number) => boolean)
}

export const loggedMetric = new Options<LoggedMetric>('toHaveLoggedMetric', {
  run: nonEmptyText,
  step: wholeNumber(),
  trainingStep: wholeNumber(),
  value: either(
    (value) => typeof value === 'number' || typeof value === 'string',
    valueKind('a number, a text or a function', (value) => typeof value === 'function'),
  ),
})

/** The options of `toHaveArtifactAlias` and `assertArtifactAlias`. */
export interface AliasedVersion {
  /** The version that the alias must mean, such as `v2`. Default: any. */
  version?: string
}

export const aliasedVersion = new Options<AliasedVersion>('toHaveArtifactAlias', {
  version: nonEmptyText,
})

/** The most values in a message. */
const MOST_VALUES = 12

/** Whether a run logged a metric, at a step or with a value. */
export function toHaveLoggedMetric(
  emulator: WithRuns,
  metric: string,
  options: LoggedMetric = {},
): Verdict {
  const runs = partOf(emulator, Runs, 'runs')
  checkArgument('toHaveLoggedMetric', { name: 'metric', value: metric, kind: nonEmptyText })
  loggedMetric.check(options)
  const { path } = runs.get(options.run)
  const rows = runs.history(path)
  const logged = rows.filter(({ values }) => Object.hasOwn(values, metric))
  const right = logged.filter((row) => isRight(row, metric, options))
  const pass = right.length > 0
  return {
    pass,
    message: () => {
      const wanted = `${path} ${pass ? 'not ' : ''}to have logged ${shown(metric)}${described(options)}`
      if (logged.length > 0) {
        const values = (pass ? right : logged).map((row) => rowText(row, metric))
        return [`expected ${wanted}; it logged`, ...latest(values)].join('\n')
      }
      const names = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))]
      const known = names.length === 0 ? 'nothing' : names.join(', ')
      return `expected ${wanted}, but it did not.${didYouMean(metric, names)} It logged ${known}.`
    },
  }
}

function isRight({ step, values }: HistoryRow, metric: string, wanted: LoggedMetric): boolean {
  const { step: row = step, trainingStep = values['training_step'] } = wanted
  if (row !== step || trainingStep !== values['training_step']) return false
  const value = values[metric]
  const { value: expected } = wanted
  if (expected === undefined) return true
  if (typeof expected === 'function') return expected(value, step)
  // What is not finite is a text in a history.
  const isText = typeof expected === 'number' && !Number.isFinite(expected)
  return value === (isText ? String(expected) : expected)
}

function described({ step, trainingStep, value }: LoggedMetric): string {
  const at = step === undefined ? '' : ` at step ${step}`
  const inTraining = trainingStep === undefined ? '' : ` at training_step ${trainingStep}`
  return `${at}${inTraining}${value === undefined ? '' : ` as ${shown(value)}`}`
}

/** A row as one line, with the steps that the program counts in it. */
function rowText({ step, values }: HistoryRow, metric: string): string {
  const steps = Object.keys(values).filter((name) => name.endsWith('step') && name !== metric)
  const also = steps.map((name) => `${name} ${String(values[name])}`).join(', ')
  return `  step ${step}${also === '' ? '' : ` (${also})`}: ${shown(values[metric])}`
}

function latest(lines: readonly string[]): string[] {
  const more = lines.length - MOST_VALUES
  return [...(more > 0 ? [`  … ${more} more`] : []), ...lines.slice(-MOST_VALUES)]
}

/** Whether a run finished: its program exited with 0. */
export function toHaveFinishedRun(emulator: WithRuns, which?: string): Verdict {
  const runs = partOf(emulator, Runs, 'runs')
  const { path, state, exit_code: code, rows } = runs.get(which)
  const pass = state === 'finished'
  return {
    pass,
    message: () => {
      const exit = code === null ? '' : ` with exit code ${code}`
      return `expected the run ${path} ${pass ? 'not ' : ''}to have finished; it is ${state}${exit}, and has logged ${counted(rows, 'row')}`
    },
  }
}

/** Whether an artifact has an alias, on any version or on a certain one. */
export function toHaveArtifactAlias(
  emulator: WithArtifacts,
  artifact: string,
  alias: string,
  options: AliasedVersion = {},
): Verdict {
  const artifacts = partOf(emulator, Artifacts, 'artifacts')
  checkArgument('toHaveArtifactAlias', { name: 'alias', value: alias, kind: nonEmptyText })
  aliasedVersion.check(options)
  const named = { name: 'artifact', value: artifact, kind: nonEmptyText }
  checkArgument('toHaveArtifactAlias', named)
  const { path, aliases, versions } = collectionDetails(artifacts.collection(artifact))
  const found = Object.hasOwn(aliases, alias) ? aliases[alias] : undefined
  const { version } = options
  const pass = found !== undefined && (version === undefined || found === version)
  return {
    pass,
    message: () => {
      const names = Object.keys(aliases)
      const hint = found === undefined ? didYouMean(alias, names) : ''
      const on = version === undefined ? '' : ` on ${version}`
      const known = names.map((name) => `${name} (${aliases[name]})`).join(', ') || 'none'
      const wanted = `expected the artifact ${path} ${pass ? 'not ' : ''}to have the alias ${shown(alias)}${on}`
      const more = versions.length - MOST_VALUES
      const newest =
        versions.slice(0, MOST_VALUES).join(', ') + (more > 0 ? `, and ${more} more` : '')
      return `${wanted}.${hint} Its aliases: ${known}. Its versions: ${newest}.`
    },
  }
}
