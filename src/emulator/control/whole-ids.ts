import { shortened } from '../../base/text/shortened.js'
import type { Answer, Next } from '../../service/api/pipeline.js'
import { NotFoundError } from '../../webhooks/sending/webhooks.js'
import type { Emulator } from '../emulator.js'
import { notFound } from '../find-named.js'

/** The fields of a call that hold an id, each with what it is about. Rows find only ids that exist in them. */
const KINDS = {
  job: 'job',
  job_id: 'job',
  delivery: 'delivery',
  delivery_id: 'delivery',
  fault_id: 'fault',
} as const

type Kind = (typeof KINDS)[keyof typeof KINDS]

const IDS: Readonly<Record<Kind, (emulator: Emulator) => string[]>> = {
  job: ({ engine }) => [...engine.store.jobs.keys()],
  delivery: ({ webhooks }) => webhooks.deliveries.map(({ id }) => id),
  fault: ({ engine }) => engine.faults.all.map(({ id }) => id),
}

/** How much of an id and of a list of ids an error shows. */
const LONGEST = 80
const LONGEST_LIST = 400

/** What a call sends, as the stage `validate` left it. */
interface SentCall {
  readonly emulator: Emulator
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** Completes the ids that a call cut short, as the emulator prints them. Refuses those that nothing has. */
export function completeIds<C extends SentCall>(context: C, next: Next<C>): Answer {
  for (const part of [context.params, context.query, context.body]) {
    const fields = (part ?? {}) as Record<string, unknown>
    for (const [field, kind] of Object.entries(KINDS)) {
      const written = fields[field]
      if (typeof written === 'string') fields[field] = wholeId(kind, written, context.emulator)
    }
  }
  return next(context)
}

/** Returns the id that a text is, or the only one that begins like it. */
function wholeId(kind: Kind, written: string, emulator: Emulator): string {
  const begin = written.toLowerCase()
  // A page asks for a job often, and there may be thousands.
  if (kind === 'job' && emulator.engine.store.jobs.has(begin)) return begin
  const ids = IDS[kind](emulator)
  if (ids.includes(begin)) return begin
  const begun = begin === '' ? [] : ids.filter((id) => id.startsWith(begin))
  if (begun.length === 1) return begun[0]!
  const shown = shortened(written, LONGEST)
  if (begun.length === 0) {
    const isCheckpoint = kind === 'job' && /[:@/]/.test(written)
    const what = isCheckpoint
      ? `checkpoints have trace --lineage --checkpoint: there is no job`
      : `there is no ${kind}`
    throw notFound(what, shown, ids, 'there is none yet')
  }
  const named = shortened(begun.join(', '), LONGEST_LIST)
  throw new NotFoundError(
    `Not found: ${begun.length} ids of the kind ${kind} begin with "${shown}": ${named}. Write more of the id.`,
  )
}
