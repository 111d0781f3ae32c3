import { isLoopbackName } from '../../base/text/near-address.js'
import { countedSends } from '../../base/text/sends.js'
import type { RequestEntry } from '../../service/engine/journal.js'
import { shownEntry } from '../../service/engine/shown-entry.js'
import type { Delivery } from '../../webhooks/sending/delivery.js'
import type { Webhooks } from '../../webhooks/sending/webhooks.js'
import { isFailed } from './format.js'
import { usedWorlds, type TracedWorld } from './trace.js'
import type { TestedWorld } from './world.js'

/** A refused or unanswered request, a failed job, a failed delivery, or an error of work that no call waits for. */
export interface Problem {
  readonly kind: 'request' | 'error' | 'job' | 'delivery' | 'host'
  /** What stands before its text: the status of the response, `---` without one, `job`, `delivery`, or `err`. */
  readonly mark: string
  readonly text: string
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
    return problemsOf(world).map(({ text, ...problem }) => {
      return { ...problem, text: worldName === null ? text : `${worldName}: ${text}` }
    })
  })
  const deliveries = problems.filter(({ kind }) => kind === 'delivery')
  return eachOnce([...problems.filter(({ kind }) => kind !== 'delivery'), ...deliveries])
}

const UNNAMED_FAULT = /\bfault \d+(?=: )/g

/** Each different problem once, with its latest entry. The latest come last. */
export function eachOnce(problems: readonly Problem[]): CountedProblem[] {
  const found = new Map<string, CountedProblem>()
  for (const problem of problems) {
    // An outage may be several faults without names, one after the other.
    const key = `${problem.mark} ${problem.text.replaceAll(UNNAMED_FAULT, 'fault')}`
    const { count, text } = found.get(key) ?? { count: 0, text: problem.text }
    const shown = text === problem.text ? text : problem.text.replaceAll(UNNAMED_FAULT, 'faults')
    // Deleted first, so that the order is that of the latest occurrence.
    found.delete(key)
    found.set(key, { ...problem, text: shown, count: count + 1 })
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
      const text = requestText(entry)
      return [{ kind: 'request', mark: markOf(entry), text, entry: entry.id }]
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
