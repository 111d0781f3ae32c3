import type * as z from 'zod'
import {
  listed,
  secretValueProblems,
  webhookProblems,
  type ComparedParts,
  type PartProblem,
} from './check-webhooks.js'
import { newFaultIssues, type fault } from './faults.js'
import type { judge } from './judge.js'
import type { timelineEntry } from './timeline.js'
import { vainInJudge, vainInTimeline, vainInWebhooks } from './vain-settings.js'

/** The parts of a scenario that are compared, once each is right by itself. */
export const comparedParts = ['faults', 'secrets', 'webhooks', 'automations', 'timeline'] as const

interface NamingParts extends ComparedParts {
  readonly faults: readonly z.output<typeof fault>[]
  readonly timeline: readonly z.output<typeof timelineEntry>[]
}

type PartsOfScenario = Pick<NamingParts, (typeof comparedParts)[number]>

interface NewParts extends PartsOfScenario {
  readonly extends?: string | undefined
  readonly chat: { readonly judge?: z.output<typeof judge> }
}

/** Reports what is wrong between the parts of a scenario, and what no saved one is refused for. */
export function compareParts(
  { extends: parent, chat, ...parts }: NewParts,
  context: z.RefinementCtx,
): void {
  for (const [index, rule] of parts.faults.entries()) {
    for (const issue of newFaultIssues(rule)) {
      context.addIssue({ ...issue, path: ['faults', index, ...(issue.path ?? [])] })
    }
  }
  report(secretValueProblems(parts.secrets ?? {}), context)
  report(vainInWebhooks(parts.webhooks), context)
  report(vainInTimeline(parts.timeline), context)
  report(vainInJudge(chat.judge), context)
  // The parent may define the missing names. The merged scenario is checked again.
  if (parent === undefined) report(nameProblems(parts), context)
}

/** Reports names that nothing has in a saved scenario. Its operations may be older, and its secrets may be missing. */
export function compareSavedParts(parts: PartsOfScenario, context: z.RefinementCtx): void {
  report(nameProblems({ ...parts, secrets: undefined }), context)
}

function report(problems: readonly PartProblem[], context: z.RefinementCtx): void {
  for (const problem of problems) context.addIssue({ code: 'custom', ...problem })
}

/** Finds names that nothing has: of webhooks, of secrets, and of the faults that the timeline opens and closes. */
function nameProblems(parts: PartsOfScenario): PartProblem[] {
  const names = parts.faults.flatMap(({ name }) => name ?? [])
  const known = names.length > 0 ? ` Named faults: ${listed(names)}.` : ' No fault has a name.'
  const ofTimeline = parts.timeline.flatMap((entry, index) => {
    if (!('fault' in entry) || names.includes(entry.fault)) return []
    const message = `there is no fault named "${entry.fault}".${known}`
    return { path: ['timeline', index, 'fault'], message }
  })
  return [...webhookProblems(parts), ...ofTimeline]
}
