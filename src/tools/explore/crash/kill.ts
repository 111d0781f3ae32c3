import { operationIdIn, operationNames } from '../../../service/contract/operation-names.js'
import { either, valueKind, listOf } from '../../../base/text/options.js'

/** When a program is killed: at which call, and whether it has the answer. */
export interface Kill {
  /** The operation, such as `createRlTrainingJob`. A call about runs and artifacts has its query after a dot. */
  readonly operation: string
  /** The number of the call among those of the operation, from 1. */
  readonly call: number
  /**
   * `before`: the service does what the call asks for, and the program is killed before the answer. `after`: the program
   * gets the answer, goes on, and is killed at its next call, which the service does not carry out.
   */
  readonly moment: 'before' | 'after'
}

/** Formats a kill as `--crash-at` takes it: `createRlTrainingJob:2:before`. */
export function formatKill({ operation, call, moment }: Kill): string {
  return `${operation}:${call}:${moment}`
}

/** Reads what `formatKill` writes. Undefined if it is something else, or names no operation. */
export function readKill(text: string): Kill | undefined {
  const [, operation = '', call, moment] =
    /^(\w+(?:\.\w+)?):([1-9]\d{0,6}):(before|after)$/.exec(text) ?? []
  if (!(operationNames as readonly string[]).includes(operationIdIn(operation))) return undefined
  return { operation, call: Number(call), moment: moment as Kill['moment'] }
}

/** Reads several, which were checked before. */
export function readKills(texts: readonly string[]): Kill[] {
  return texts.flatMap((text) => readKill(text) ?? [])
}

const A_KILL =
  'true, false, or a list of kills such as createRlTrainingJob:2:before; before or after the answer'

/** What `crash` of an exploration takes. */
export const crashKind = either(
  (value) => typeof value === 'boolean',
  listOf(valueKind(A_KILL, (value) => typeof value === 'string' && readKill(value) !== undefined)),
)

/** The options of an exploration that say what it kills. */
interface CrashOptions {
  readonly runs: number | undefined
  readonly only?: readonly string[]
  readonly kills?: readonly Kill[] | undefined
}

/** What an exploration with kills tries. Their number depends on the operations that the code uses. */
export function crashOptions(
  crash: boolean | readonly string[],
  runs: number | undefined,
): CrashOptions {
  if (crash === false) return { runs }
  const kills = crash === true ? undefined : readKills(crash)
  return { only: ['crashes'], kills, runs: runs ?? Infinity }
}

/** Says in words when a program is killed: `before the answer to call 2 of createRlTrainingJob`. */
export function killText({ operation, call, moment }: Kill): string {
  return `${moment} the answer to call ${call} of ${operation}`
}
