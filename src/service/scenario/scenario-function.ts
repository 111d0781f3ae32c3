import { formatPath } from '../../base/text/format-path.js'
import { holdsFunction } from '../../base/text/holds-function.js'
import { thrownText } from '../../base/text/thrown-text.js'
import { formatValue } from './issue-text.js'
import { ScenarioError, type ScenarioProblem } from './scenario-error.js'

type Path = readonly (string | number)[]
type AnyFunction = (...args: unknown[]) => unknown

/** Those that name their place. A checked scenario may be checked again, as a part of another one. */
const placed = new WeakSet<object>()

/**
 * Returns a checked value whose functions say where they stand if they fail. A call of a client may have called them, so
 * that nobody else could tell.
 *
 * @param owner - What the value is: `the scenario "mine"`.
 */
export function withPlacedFunctions<T>(value: T, owner: string, path: Path = []): T {
  if (!holdsFunction(value)) return value
  if (typeof value === 'function') {
    return (placed.has(value) ? value : withPlace(value as AnyFunction, owner, path)) as T
  }
  const parts = Object.entries(value as object).map(([key, part]: [string, unknown]) => {
    const step = Array.isArray(value) ? Number(key) : key
    return [key, withPlacedFunctions(part, owner, [...path, step])] as const
  })
  return (Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts)) as T
}

function withPlace(work: AnyFunction, owner: string, path: Path): AnyFunction {
  const place = formatPath(path)
  const problemOf = resultProblem(path)
  const fail = (error: unknown): never => {
    throw thrownBy(error, owner, place)
  }
  const called: AnyFunction = (...args) => {
    let result: unknown
    try {
      result = work(...args)
    } catch (error) {
      return fail(error)
    }
    const answer = result instanceof Promise ? result.catch(fail) : result
    const message = problemOf(answer)
    if (message === undefined) return answer
    // Nobody waits for a promise that is refused.
    if (answer instanceof Promise) answer.catch(() => {})
    throw functionFailure(owner, { place, message })
  }
  placed.add(called)
  // Who shows the scenario shows what the user wrote.
  called.toString = () => String(work)
  return called
}

/** Returns what says why a result cannot be used. The engine checks answers itself, and waits for them. */
function resultProblem(path: Path): (result: unknown) => string | undefined {
  const isNumber = path.includes('metrics') || path.at(-1) === 'score'
  if (!isNumber && path.at(-1) !== 'match') return () => undefined
  return (result) => {
    if (result instanceof Promise) {
      return `returned a promise, and nothing waits for it: return ${isNumber ? 'the number' : 'true or false'} itself`
    }
    return isNumber && typeof result !== 'number'
      ? `returned ${formatValue(result)}, and only a number can be used`
      : undefined
  }
}

/** Returns the error of a function of a scenario. Its frames are those of what was thrown. */
function thrownBy(error: unknown, owner: string, place: string): ScenarioError {
  const failure = functionFailure(owner, {
    place,
    message: `threw ${thrownText(error)}`,
    ...thrownAt(error),
  })
  const frames = stackOf(error).match(/^\s+at (?!.*\bdata:).*$/gm) ?? []
  failure.stack = [`${failure.name}: ${failure.message}`, ...frames].join('\n')
  return failure
}

/** Returns the error of what is wrong with a function of a scenario, which shows only when it is called. */
export function functionFailure(owner: string, problem: ScenarioProblem): ScenarioError {
  return new ScenarioError(`A function of ${owner} failed`, [problem])
}

/** The nearest place in the files of the user. Undefined parts: no frame is in one. */
function thrownAt(error: unknown): Pick<ScenarioProblem, 'file' | 'line' | 'column'> {
  const [own] = placesIn(stackOf(new Error('here')))
  const [nearest] = placesIn(stackOf(error))
  return nearest === undefined || nearest.file === own?.file ? {} : nearest
}

const FRAME = /^\s+at (?:.*[\s(])?([^\s()]*?)([^\s()/\\?]+)(?:\?\S*)?:(\d+):(\d+)\)?$/gm

function placesIn(stack: string): Pick<ScenarioProblem, 'file' | 'line' | 'column'>[] {
  return [...stack.matchAll(FRAME)]
    .filter(([, folder = '', file = '']) => !/^(?:node|data):|\/node_modules\//.test(folder + file))
    .map(([, , file, line, column]) => ({ file, line: Number(line), column: Number(column) }))
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? '') : ''
}
