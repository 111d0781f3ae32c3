import { operations } from '../../service/api/table.js'
import {
  damages,
  type FaultDefinition,
  type PageFacts,
  type TroubleFacts,
} from '../../service/scenario/faults/definition.js'
import {
  faultDefinition,
  faultKinds,
  type FaultKind,
} from '../../service/scenario/faults/kinds/index.js'
import type { AdversaryRule, FaultInput, FaultRule } from '../../service/scenario/scenario.js'
import type { z } from 'zod'

type TroublesOf<Definition> = Definition extends FaultDefinition<infer _, infer Name> ? Name : never

/** How a call can go wrong, besides its status. Those with `AfterWork` exist only for operations that change something. */
export type Trouble = { [Kind in FaultKind]: TroublesOf<(typeof faultKinds)[Kind]> }[FaultKind]

const definitions: readonly FaultDefinition[] = Object.values(faultKinds)

/** What clients meet, the worst first. */
export const troubles = Object.fromEntries(
  damages
    .flatMap((damage) => definitions.filter((each) => each.damage === damage))
    .flatMap((definition) => Object.entries(definition.troubles ?? {})),
) as Readonly<Record<Trouble, TroubleFacts<z.ZodType<FaultRule, FaultInput>>>>

/** What a client meets if a fault is applied to its call. A status is counted by itself. */
export function troublesOf(rule: FaultRule): Trouble[] {
  const own = Object.entries(faultDefinition(rule.fault).troubles ?? {})
  return own.filter(([, trouble]) => trouble.when?.(rule) ?? true).map(([name]) => name as Trouble)
}

export type PageKind = Extract<FaultKind, `page_${string}`>

const pageKinds = Object.entries<FaultDefinition>(faultKinds).filter(([, { page }]) => page)

/** What clients meet in pages, those after a cursor first. */
export const pageTroubles = Object.fromEntries(
  [
    ...pageKinds.filter(([, { page }]) => page!.cursor),
    ...pageKinds.filter(([, { page }]) => !page!.cursor),
  ].map(([kind, { page }]) => [kind, page!]),
) as Readonly<Record<PageKind, PageFacts>>

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
