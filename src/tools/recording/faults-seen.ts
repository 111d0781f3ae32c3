import { counted, groupsOf } from '../../base/text/counted.js'
import { jobReads } from '../../service/contract/operation-names.js'
import { contextWindowIn, endingOf, isExpected, withoutFields } from './call-faults.js'
import type { SeenCheckpoints } from './checkpoints-seen.js'
import { fieldsOf, isAccepted, type Exchange, type ScenarioPart } from './exchanges.js'
import { endOf, type SeenJob } from './seen-job.js'
import { NumberedFaults, type LateCall } from './numbered-faults.js'
import { pageFaults } from './page-faults.js'

/** What went wrong with calls. */
export interface SeenFaults {
  readonly faults: readonly ScenarioPart[]
  /** The size of the context window that a refusal names. */
  readonly contextWindow: number | undefined
  /** What a fault says less exactly than the recording. */
  readonly notes: readonly string[]
  /** What faults changed, and no fault here does, as sentences. */
  readonly losses: readonly string[]
  /** Whether polls before them decide when some of them come. */
  readonly countPolls: boolean
}

/** Writes what went wrong with each call: the number of the call among those of its operation, and what came back. */
export function faultsOf(
  exchanges: readonly Exchange[],
  { checkpoints, jobs }: { checkpoints: SeenFacts; jobs: readonly SeenJob[] },
): SeenFaults {
  const pages = pageFaults(exchanges)
  const list = new NumberedFaults()
  const models = polledModels(jobs)
  const seenCalls = exchanges.flatMap((exchange): SeenCall[] => {
    const { operation, waited } = exchange
    if (operation === undefined) return []
    const number = list.count(operation, polledModel(exchange, models))
    return [{ exchange, operation, waited, ...number }]
  })
  const notes = [...groupsOf(seenCalls.filter(isLate), ofSameEnd).values()].flatMap((late) => {
    const { exchange, operation } = late[0]!
    return list.addDelays(operation, late, isAccepted(exchange) ? 'answers to' : 'failed calls of')
  })
  for (const { exchange, operation, ...call } of seenCalls) {
    const isNatural = isExpected(exchange, exchanges) || checkpoints.unserved.has(exchange)
    const ending = isNatural ? [] : endingOf(exchange, checkpoints.worked.has(exchange))
    const seen = pages.get(exchange) ?? [...ending, ...withoutFields(exchange)]
    for (const fault of [...seen, ...changesOf(exchange)]) list.add(operation, call, fault)
  }
  const contextWindow = exchanges.map(contextWindowIn).find((size) => size !== undefined)
  const faults = list.parts()
  return {
    faults: [...faults, ...withoutMessages(jobs)],
    contextWindow,
    notes,
    losses: lossesIn(exchanges),
    countPolls: faults.some(({ fault, match, calls }) => {
      const isPoll = jobReads.includes(String(fieldsOf(match)['operation']))
      return isPoll && fault !== 'delay' && calls !== undefined && calls !== 1
    }),
  }
}

/** A call with the number that it has among those of its operation. */
interface SeenCall extends LateCall {
  readonly exchange: Exchange
  readonly operation: string
}

/** Answers that come faster are not late. */
const LATE = 100

/** Whether a client waited for an answer, or for the end of the connection. How long it waits for silence is its own. */
function isLate({ exchange, waited }: SeenCall): boolean {
  return waited >= LATE && exchange.how !== 'unfinished'
}

/** How late failed calls are says nothing about the others. */
function ofSameEnd({ exchange, operation }: SeenCall): string {
  return `${operation} ${isAccepted(exchange)}`
}

type SeenFacts = Pick<SeenCheckpoints, 'worked' | 'unserved'>

/** The names of models by their ids and by those of their jobs, which polls have. */
function polledModels(jobs: readonly SeenJob[]): Map<string, string> {
  return new Map(
    jobs.flatMap(({ id, model }) =>
      model ? [[id, model.name] as const, [model.id, model.name] as const] : [],
    ),
  )
}

/** The name of the model that a poll is about. Empty for other calls. */
function polledModel({ operation, params }: Exchange, models: ReadonlyMap<string, string>): string {
  if (!jobReads.includes(operation ?? '')) return ''
  return models.get(params['training_job_id'] ?? params['model_id'] ?? '') ?? ''
}

/** The faults of this emulator that hit a call, as far as they are known. */
function changesOf({ changes }: Exchange): ScenarioPart[] {
  return changes.flatMap(({ fault, change }) => (change ? [{ fault, ...fieldsOf(change) }] : []))
}

/** Names what faults changed, and no fault of a scenario does. */
function lossesIn(exchanges: readonly Exchange[]): string[] {
  const lost = exchanges.flatMap(({ changes }) => changes.filter(({ change }) => !change))
  const changed = [
    ...groupsOf(lost, ({ name, fault }) => `${String(name)} (${String(fault)})`),
  ].map(([which, { length }]) => {
    return `${counted(length, 'answer')} ${length === 1 ? 'was' : 'were'} changed by ${which}; the scenario does not have that.`
  })
  const cut = exchanges.filter(({ how }) => how === 'cut_off').length
  if (cut === 0) return changed
  const early = `${counted(cut, 'stream')} ended early, without finish_reason and [DONE], and without an error.`
  return [...changed, `${early} Here the connection is dropped.`]
}

/** Lists show a failed job without a message, and a scenario always has one. So it is removed from the lists. */
export function withoutMessages(jobs: readonly SeenJob[]): ScenarioPart[] {
  const failed = jobs.filter((job) => endOf(job)?.type === 'training_failed')
  const models = groupsOf(failed, ({ model }) => model?.name)
  return [...models].flatMap(([model, own]) => {
    if (own.some((job) => 'error_message' in endOf(job)!.data)) return []
    const match = { operation: 'listTrainingJobEvents', ...(models.size > 1 && model && { model }) }
    return [{ fault: 'edit', match, remove: 'data.*.data.error_message' }]
  })
}
