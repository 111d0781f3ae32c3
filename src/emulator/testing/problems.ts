import type { RequestEntry } from '../../service/engine/journal.js'
import { shownEntry } from '../../service/engine/shown-entry.js'
import { isFailed } from './format.js'
import { usedWorlds, type TracedWorld } from './trace.js'
import type { TestedWorld } from './world.js'

/** A refused or unanswered request, a failed job, or an error of work that no call waits for. */
export interface Problem {
  /** The status of the response, `---` without one, `job`, or `err` for an error. */
  readonly mark: string
  readonly text: string
  /** The id of its journal entry. */
  readonly entry: number
}

/** A problem that happened once or more. */
export interface CountedProblem extends Problem {
  readonly count: number
}

/** Refused requests, failed jobs and errors of all worlds, each different one once. The latest come last. */
export function problemsIn<World extends TracedWorld>(
  emulator: World & { readonly worlds: Iterable<World> },
): CountedProblem[] {
  const problems = usedWorlds(emulator).flatMap((world) => {
    const { worldName } = world
    return problemsOf(world).map(({ text, ...problem }) => {
      return { ...problem, text: worldName === null ? text : `${worldName}: ${text}` }
    })
  })
  return eachOnce(problems)
}

/** Each different problem once, with its latest entry. The latest come last. */
export function eachOnce(problems: readonly Problem[]): CountedProblem[] {
  const found = new Map<string, CountedProblem>()
  for (const problem of problems) {
    const key = `${problem.mark} ${problem.text}`
    const count = (found.get(key)?.count ?? 0) + 1
    // Deleted first, so that the order is that of the latest occurrence.
    found.delete(key)
    found.set(key, { ...problem, count })
  }
  return [...found.values()]
}

/** Refused requests, failed jobs and errors of one world, in order and without secrets. */
export function problemsOf({ journal }: Pick<TestedWorld, 'journal'>): Problem[] {
  return journal.entries.flatMap((entry): Problem[] => {
    if (entry.kind === 'request' && isFailed(entry)) {
      return [{ mark: markOf(entry), text: requestText(entry), entry: entry.id }]
    }
    if (entry.kind === 'note' && entry.stack !== undefined) {
      return [{ mark: 'err', text: shownEntry(entry).text, entry: entry.id }]
    }
    if (entry.kind !== 'job' || entry.event !== 'training_failed') return []
    const text = `${entry.modelName} ${entry.jobId.slice(0, 8)} ${shownEntry(entry).text}`
    return [{ mark: 'job', text, entry: entry.id }]
  })
}

/** What stands in the place of the status of a request. */
export function markOf({ status, lost }: RequestEntry): string {
  return lost === undefined ? String(status) : '---'
}

/** What a client sees of a response that is lost, in words. */
export const LOST_TEXT = { hang: 'no answer', disconnect: 'connection dropped' } as const

function requestText(entry: RequestEntry): string {
  const { method, path, lost, detail, hint, effects } = shownEntry(entry)
  const reasons = [lost && LOST_TEXT[lost], detail, hint, ...effects].filter(Boolean)
  return [`${method} ${path}`, reasons.join('; ')].filter(Boolean).join(': ')
}
