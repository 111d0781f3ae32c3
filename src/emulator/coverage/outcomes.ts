import { operations } from '../../service/api/table.js'
import type { AdversaryRule, FaultRule } from '../../service/scenario/scenario.js'

type Of<Rule, Key extends keyof Rule, Name> = Extract<Rule, Record<Key, Name>>

/** How a call can go wrong, besides its status. */
export type Trouble = keyof typeof troubles

/** What clients meet, in words. Those with `AfterWork` exist only for operations that change something. */
export const troubles = {
  errorAfterWork: 'an error although the work was done',
  proxyError: 'an error with the body of a proxy',
  lost: 'a lost connection',
  lostAfterWork: 'a lost connection although the work was done',
  halfClosed: 'half an answer and a closed connection',
  hangs: 'a call without an answer',
  hangsAfterWork: 'a call without an answer although the work was done',
  halfHangs: 'half an answer and an open connection',
  malformed: 'a body that is not the JSON of the answer',
  edited: 'an answer with missing or changed fields',
  contentType: 'another content type',
  slow: 'a late answer',
  trickle: 'an answer that arrives piece by piece',
} as const

/** What a client meets if a fault is applied to its call. A status is counted by itself. */
export const troublesOf: {
  readonly [Kind in FaultRule['fault']]: (rule: Of<FaultRule, 'fault', Kind>) => readonly Trouble[]
} = {
  status: ({ stage, body }) => [
    ...(stage === 'after' ? (['errorAfterWork'] as const) : []),
    ...(body === undefined ? [] : (['proxyError'] as const)),
  ],
  drop: ({ stage }) => [BY_STAGE.drop[stage]],
  hang: ({ stage }) => [BY_STAGE.hang[stage]],
  malformed: () => ['malformed'],
  edit: () => ['edited'],
  content_type: () => ['contentType'],
  delay: () => ['slow'],
  trickle: () => ['trickle'],
  // The client gets 429.
  rate_limit: () => [],
  concurrency: () => [],
  // The call itself succeeds.
  fail_job: () => [],
  // See `pageTroubles`.
  page_overlap: () => [],
  page_restart: () => [],
  page_empty: () => [],
  page_repeat: () => [],
  page_stale: () => [],
  page_arrivals: () => [],
  page_limit: () => [],
}

const BY_STAGE = {
  drop: { before: 'lost', after: 'lostAfterWork', mid_body: 'halfClosed' },
  hang: { before: 'hangs', after: 'hangsAfterWork', mid_body: 'halfHangs' },
} as const

type PageKind = Extract<FaultRule['fault'], `page_${string}`>

/** What clients meet in pages, in words. `cursor`: only after a cursor. */
export const pageTroubles: Readonly<Record<PageKind, { text: string; cursor?: true }>> = {
  page_overlap: { text: 'a page that overlaps the one before', cursor: true },
  page_restart: { text: 'a page that begins at the top again', cursor: true },
  page_repeat: { text: 'a page that comes twice', cursor: true },
  page_stale: { text: 'a cursor that is refused', cursor: true },
  page_empty: { text: 'an empty page, although more follow' },
  page_arrivals: { text: 'new items between two pages' },
  page_limit: { text: 'pages that are shorter than requested' },
}

/** What a receiver meets if an adversary changes a delivery. `down` shows as a retry, or as a lost delivery. */
export const adversaries: Readonly<Record<Exclude<AdversaryRule['do'], 'down'>, string>> = {
  duplicate: 'a delivery that comes several times',
  storm: 'many deliveries for one event',
  reordered: 'a delivery after the one that follows it',
  late: 'a state after a newer one',
  delayed: 'a delivery that comes later',
  wrong_secret: 'a signature with a wrong secret',
  old_secret: 'a signature with an old secret',
  altered_body: 'a body that was changed after signing',
  truncated_body: 'half of a signed body',
  missing_signature: 'a delivery without a signature',
}

/** The operations that clients can repeat without harm: they change nothing. */
export const READING: ReadonlySet<string> = new Set(
  operations
    .filter(({ host, method, tag }) => {
      return method === 'GET' || host === 'inference' || tag === 'chat-completions'
    })
    .map(({ id }) => id),
)

/** The operations that answer with pages. */
export const LISTING: ReadonlySet<string> = new Set(
  operations
    .filter(({ method, query }) => method === 'GET' && query !== undefined)
    .map(({ id }) => id),
)

/** What happens to an operation that changes nothing: whether the work was done makes no difference. */
export function withoutWork(trouble: Trouble): Trouble | undefined {
  if (trouble === 'lostAfterWork') return 'lost'
  if (trouble === 'hangsAfterWork') return 'hangs'
  return trouble === 'errorAfterWork' ? undefined : trouble
}
