import { hitText } from '../../service/engine/faults/fault-names.js'
import type { RequestEntry } from '../../service/engine/journal.js'
import { redactionOf, shownEntry } from '../../service/engine/shown-entry.js'
import { failedDeliveries } from './failed-deliveries.js'
import { isFailed, lostText, markOf } from './format.js'
import { usedWorlds, type TracedWorld } from './used-worlds.js'
import type { TestedWorld } from './world.js'

/** A refused or unanswered request, a failed job, a failed delivery, or an error of work that no call waits for. */
export interface Problem {
  readonly kind: 'request' | 'error' | 'job' | 'delivery' | 'host'
  /** What stands before its text: the status of the response, `---` without one, `job`, `delivery`, or `err`. */
  readonly mark: string
  readonly text: string
  /** The text with one name for all faults that have none: an outage may be several, one after the other. */
  readonly general?: string | undefined
  /** The id of its journal entry. */
  readonly entry: number
}

/** A problem that happened once or more. */
export interface CountedProblem extends Problem {
  readonly count: number
}

type DeliveringWorld = Pick<TestedWorld, 'journal' | 'webhooks'>

/** What failed in all worlds, each different problem once. The latest come last, and failed deliveries after them. */
export function problemsIn<World extends TracedWorld & DeliveringWorld>(
  emulator: World & { readonly worlds: Iterable<World> },
): CountedProblem[] {
  const problems = usedWorlds(emulator).flatMap((world) => {
    const { worldName } = world
    const named = (text: string): string => (worldName === null ? text : `${worldName}: ${text}`)
    return problemsOf(world).map((problem) => {
      const { text, general = text } = problem
      return { ...problem, text: named(text), general: named(general) }
    })
  })
  const deliveries = problems.filter(({ kind }) => kind === 'delivery')
  return eachOnce([...problems.filter(({ kind }) => kind !== 'delivery'), ...deliveries])
}

/** Each different problem once, with its latest entry. The latest come last. */
export function eachOnce(problems: readonly Problem[]): CountedProblem[] {
  const found = new Map<string, CountedProblem>()
  for (const problem of problems) {
    const { mark, text, general = text } = problem
    const key = `${mark} ${general}`
    const before = found.get(key) ?? { count: 0, text }
    const shown = before.text === text ? text : general
    // Deleted first, so that the order is that of the latest occurrence.
    found.delete(key)
    found.set(key, { ...problem, text: shown, count: before.count + 1 })
  }
  return [...found.values()]
}

/** What failed in one world, in order and without secrets, and then its failed deliveries. */
export function problemsOf(world: DeliveringWorld): Problem[] {
  const undelivered = failedDeliveries(world).map((each): Problem => {
    return { kind: 'delivery', mark: 'delivery', ...each }
  })
  return [...problemsInJournal(world), ...undelivered]
}

function problemsInJournal({ journal }: DeliveringWorld): Problem[] {
  return journal.entries.flatMap((entry): Problem[] => {
    if (entry.kind === 'request' && isFailed(entry)) {
      return [{ kind: 'request', mark: markOf(entry), ...textsOf(entry), entry: entry.id }]
    }
    if (entry.kind === 'note' && entry.stack !== undefined) {
      return [{ kind: 'error', mark: 'err', text: shownEntry(entry).text, entry: entry.id }]
    }
    if (entry.kind !== 'job' || entry.event !== 'training_failed') return []
    const text = `${entry.modelName} ${entry.jobId.slice(0, 8)} ${shownEntry(entry).text}`
    return [{ kind: 'job', mark: 'job', text, entry: entry.id }]
  })
}

/** The text of a failed request, and in general terms if a fault without a name failed it. */
function textsOf(entry: RequestEntry): Pick<Problem, 'text' | 'general'> {
  const shown = shownEntry(entry)
  const { method, path, detail, hint, effects } = shown
  const textWith = (happened: readonly string[]): string => {
    const reasons = [lostText(shown), detail, hint, ...happened].filter(Boolean)
    return [`${method} ${path}`, reasons.join('; ')].filter(Boolean).join(': ')
  }
  const unnamed = entry.faults.filter(({ isNamed }) => !isNamed)
  const general = new Map(unnamed.map((hit) => [hitText(hit), hitText({ ...hit, name: 'faults' })]))
  const redact = redactionOf(entry)
  const inGeneral = entry.effects.map((effect) => redact(general.get(effect) ?? effect))
  return { text: textWith(effects), general: textWith(inGeneral) }
}
