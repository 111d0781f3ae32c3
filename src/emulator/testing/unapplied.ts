import { counted, countsOf, firstOf, groupsOf } from '../../base/text/counted.js'
import { toIso } from '../../base/text/iso.js'
import { nearest } from '../../base/text/nearest.js'
import { isChatOperation } from '../../service/contract/operation-names.js'
import type { LiveFault } from '../../service/engine/faults/live-fault.js'
import { isCallLike } from '../../service/engine/faults/matches-call.js'
import type { RequestEntry } from '../../service/engine/journal.js'
import { otherWorldsText } from './other-worlds.js'
import type { TestedWorld } from './world.js'

export type FaultedWorld = Pick<TestedWorld, 'engine' | 'journal' | 'worlds'>

/** A fault of a scenario that changed no call, the mistakes of its judge, or a rule for jobs that none met. */
export interface UnappliedThing {
  readonly which: string
  readonly why: string
}

/** How many models are named. */
const MOST_MODELS = 3
/** How many operations are named, those with the most calls. */
const MOST_OPERATIONS = 5

/** What of a scenario, and of faults that were added, changed nothing. Faults that differ only in their time are one. */
export function unappliedIn(world: FaultedWorld): UnappliedThing[] {
  const { chat, scenario } = world.engine
  const idle = faultsIn(world).filter((all) => hitsOf(all) === 0)
  const found = idle.map((all) => ({
    which: whichOf(all),
    why: whyUnapplied(all, world) + againText(all, world),
  }))
  const { judge } = scenario.chat
  if (
    judge === undefined ||
    judge === false ||
    !judge.mistake ||
    chat.judge.countSince.mistakes > 0
  ) {
    return found
  }
  return [...found, { which: 'the mistakes of chat.judge', why: whyNoJudge(world) }]
}

/** Why nothing of a scenario that has faults, or mistakes of a judge, changed a call. Undefined if something did. */
export function whyNothingApplied(world: FaultedWorld): string | undefined {
  const { chat, faults } = world.engine
  const hasApplied = chat.judge.countSince.mistakes > 0 || faults.all.some(({ hits }) => hits > 0)
  return hasApplied ? undefined : unappliedIn(world)[0]?.why
}

/** Each fault with those that differ from it only in their time. */
export function faultsIn({ engine }: FaultedWorld): LiveFault[][] {
  const alike = groupsOf(engine.faults.all, ({ id, rule: { fault, match, during }, scope }) => {
    return during ? JSON.stringify([fault, match, scope]) : id
  })
  return [...alike.values()]
}

export function hitsOf(all: readonly LiveFault[]): number {
  return all.reduce((sum, { hits }) => sum + hits, 0)
}

export function whichOf(all: readonly LiveFault[]): string {
  const [{ name, rule }] = all as [LiveFault]
  const more = all.length > 1 ? ` and ${all.length - 1} more` : ''
  return `${name} (${rule.fault})${more}`
}

function whyUnapplied(all: readonly LiveFault[], world: FaultedWorld): string {
  const matched = all.reduce((sum, fault) => sum + fault.matched, 0)
  const [{ rule, definition }] = all as [LiveFault]
  if (matched > 0) {
    return `${counted(matched, 'call')} matched, and none was changed${callsText(all, matched)}`
  }
  if (all.every(({ open }) => !open)) return 'it is closed'
  if (typeof rule.match !== 'function' && rule.match.judge === true) return whyNoJudge(world)
  const { operations } = definition
  const call = definition.failure ? 'accepted call' : 'call'
  const of = operations ? ` of ${operations.join(' or ')}` : ''
  const when = rule.during ? ' in its time' : ''
  const elsewhere = otherWorldsText('such calls', world, ({ journal }) => {
    return callsFor(all[0]!, callsIn(journal)).length > 0
  })
  const instead = insteadText(all, world.journal)
  return `no ${call}${of} matched${when}${instead}${elsewhere ? `; ${elsewhere}` : ''}`
}

/** Says for which call a fault waits. Empty if it waits for none, or if each key or job has its own calls. */
function callsText([first]: readonly LiveFault[], matched: number): string {
  const { calls, per } = first!.rule
  if (calls === undefined || per !== 'all') return ''
  const numbers = [calls].flat()
  const awaited = Math.min(
    ...numbers.map((each) => (typeof each === 'number' ? each : (each.from ?? 1))),
  )
  if (awaited <= matched) return ''
  const meant =
    typeof calls === 'number' ? ` (\`calls: { to: ${calls} }\` means the first ${calls})` : ''
  return `; it waits for call ${awaited}${meant}`
}

/** Says that a fault counts from a later start: it hit calls before that. */
function againText([first]: readonly LiveFault[], { journal }: FaultedWorld): string {
  const { id, began, rule } = first!
  const wasHit = journal.entries.some((entry) => {
    if (entry.kind !== 'request') return false
    return entry.faults.some((hit) => hit.id === id && hit.fault === rule.fault)
  })
  return wasHit ? `, since the scenario was loaded again at ${toIso(began)}` : ''
}

interface Call extends Pick<RequestEntry, 'at'> {
  readonly operation: string
}

/** The calls of clients. */
function callsIn({ entries }: FaultedWorld['journal']): Call[] {
  return entries.flatMap((entry) => {
    if (entry.kind !== 'request' || entry.host === 'control') return []
    const { at, operation } = entry
    return operation === undefined ? [] : { at, operation }
  })
}

/** The calls of an operation that a fault is for. */
function callsFor(fault: LiveFault, calls: readonly Call[]): Call[] {
  const { match } = fault.rule
  const wanted = typeof match === 'function' ? undefined : match.operation
  return calls.filter(({ operation }) => isCallLike(operation, wanted) && fault.isAbout(operation))
}

/** What was called while a fault waited for its calls: at other times, in other ways, or under other names. */
function insteadText(
  [first, ...others]: readonly LiveFault[],
  journal: FaultedWorld['journal'],
): string {
  const { rule, began, scope } = first!
  const { operation: wanted, ...more } = typeof rule.match === 'function' ? {} : rule.match
  const calls = callsIn(journal).filter(({ at }) => at >= began)
  const alike = callsFor(first!, calls)
  const late = alike.filter(({ at }) => ![first!, ...others].some((fault) => fault.isDuring(at)))
  const howMany = (some: readonly Call[]): string => {
    return `${counted(some.length, 'call')} of ${namesOf(some)}`
  }
  if (late.length > 0) return ` (${howMany(late)} came at another time)`
  if (alike.length > 0) {
    const keys = Object.entries({ ...more, ...scope }).filter(([, value]) => value !== undefined)
    const which = keys.map(([key]) => key).join(', ')
    return which === ''
      ? ` (called: ${namesOf(calls)})`
      : ` (${howMany(alike)} had another ${which})`
  }
  if (calls.length === 0) return ''
  const names = [...new Set(calls.map(({ operation }) => operation))]
  const meant = [wanted ?? []].flat().flatMap((each) => nearest(each, names) ?? [])
  return ` (called: ${namesOf(calls)}${meant.length > 0 ? `; did you mean ${meant[0]}?` : ''})`
}

/** Names operations, those with the most calls first. */
function namesOf(calls: readonly { operation: string }[]): string {
  const counts = countsOf(calls.map(({ operation }) => operation))
  const names = [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name)
  return firstOf(names, MOST_OPERATIONS)
}

/** Says which models were asked, if none of them was asked for a score. */
function whyNoJudge({ engine, journal }: FaultedWorld): string {
  const { calls } = engine.chat.judge.count
  if (calls > 0) return `none of ${counted(calls, 'call')} of a judge was among its calls`
  const chats = countsOf(chatsIn(journal).map(modelOf))
  if (chats.size === 0) return 'no chat came'
  const shown = [...chats].slice(0, MOST_MODELS).map(([name, count]) => {
    return `${counted(count, 'chat')} went to ${name}`
  })
  return `no chat was recognized as a judge's; ${shown.join(', ')}`
}

/** The requests of chats. */
export function chatsIn({ entries }: FaultedWorld['journal']): RequestEntry[] {
  return entries.flatMap((entry) => {
    return entry.kind === 'request' && isChatOperation(entry.operation) ? entry : []
  })
}

/** The model that a chat names, as its client wrote it. */
export function modelOf({ body }: RequestEntry): string {
  const { model } = Object(body) as { model?: unknown }
  return typeof model === 'string' ? model : 'no model'
}
