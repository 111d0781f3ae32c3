import { isLoopbackName } from '../../base/text/near-address.js'
import { countedSends } from '../../base/text/sends.js'
import { isUnnamed } from '../../service/engine/faults/fault-names.js'
import type { RequestEntry } from '../../service/engine/journal.js'
import { shownEntry } from '../../service/engine/shown-entry.js'
import type { Delivery } from '../../webhooks/sending/delivery.js'
import type { Webhooks } from '../../webhooks/sending/webhooks.js'
import { isFailed, lostText, markOf } from './format.js'
import { usedWorlds, type TracedWorld } from './trace.js'
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

/** A world with its deliveries. */
type DeliveringWorld = Pick<TestedWorld, 'journal'> & {
  readonly webhooks: Pick<Webhooks, 'deliveries' | 'withoutSecrets'>
}

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
  return [...problemsInJournal(world), ...failedDeliveries(world)]
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

/** Deliveries with no attempt left. Like the journal, they leave out what failed before the world was restored. */
function failedDeliveries({ journal, webhooks }: DeliveringWorld): Problem[] {
  const { deliveries } = webhooks
  const entries = new Map(
    journal.entries.flatMap((each) =>
      each.kind === 'delivery' ? [[each.deliveryId, each.id]] : [],
    ),
  )
  const failed = deliveries.filter((each) => {
    const isOld = each.attemptsBefore > 0 && each.attempts.length === each.attemptsBefore
    return each.status === 'failed' && !isOld && !isReceiverGone(each, deliveries)
  })
  return failed.map(({ id, webhook, event, attempts }) => {
    const { status, error } = attempts.at(-1) ?? {}
    const text = `${event.type} to ${webhook}: ${error ?? status} after ${countedSends(attempts)}`
    const entry = entries.get(id) ?? 0
    return { kind: 'delivery', mark: 'delivery', text: webhooks.withoutSecrets(text), entry }
  })
}

/** Whether a receiver on this machine took other deliveries, and was gone for this one: it ended with its command. */
function isReceiverGone({ url, attempts }: Delivery, all: readonly Delivery[]): boolean {
  if (attempts.at(-1)?.status !== undefined || !isLoopbackName(new URL(url).hostname)) return false
  return all.some((each) => each.url === url && each.attempts.some(({ status }) => status))
}

/** The text of a failed request, and in general terms if a fault without a name failed it. */
function textsOf(entry: RequestEntry): Pick<Problem, 'text' | 'general'> {
  const shown = shownEntry(entry)
  const { method, path, detail, hint, effects } = shown
  const textWith = (happened: readonly string[]): string => {
    const reasons = [lostText(shown), detail, hint, ...happened].filter(Boolean)
    return [`${method} ${path}`, reasons.join('; ')].filter(Boolean).join(': ')
  }
  const unnamed = entry.faults.filter(isUnnamed)
  const general = effects.map((effect) => {
    const fault = unnamed.find(({ name }) => effect.startsWith(`${name}: `))
    return fault ? `faults${effect.slice(fault.name.length)}` : effect
  })
  return { text: textWith(effects), general: textWith(general) }
}
