import type { FieldsOf, RecordFields, RecordFrom } from '../saved/record-fields.js'
import { ONLY, type SavedPart } from '../saved/saved-part.js'
import type { Usage } from './completion.js'

export interface ChatWorld {
  readonly engine: {
    readonly chat: {
      readonly repeats: { readonly times: Map<string, number> }
      readonly turns: number[]
      restoreTurns: (turns: readonly number[]) => void
      judged: JudgeCount
      readonly usage: { readonly totals: Map<string, ProjectTotal> }
    }
  }
}

export type SavedRepeats = RecordFrom<typeof repeatsSchema>

function repeatsSchema({ strictObject, literal, string, count }: RecordFields) {
  return strictObject({
    kind: literal('asking'),
    key: string(),
    times: count,
  })
}

/** How often each chat prompt was repeated. */
export const savedRepeats: SavedPart<SavedRepeats, number, ChatWorld> = {
  kind: 'asking',
  schema: repeatsSchema,
  all: ({ engine }) => engine.chat.repeats.times,
  records: (times, key) => [{ kind: 'asking', key, times }],
  restore(records, { engine }) {
    for (const { key, times } of records) engine.chat.repeats.times.set(key, times)
  },
  // The only request with this prompt was refused, or the prompt is forgotten.
  isGone: ({ times }) => times === 0,
}

export type SavedTurns = RecordFrom<typeof turnsSchema>

function turnsSchema({ strictObject, literal, array, count }: RecordFields) {
  return strictObject({
    kind: literal('turns'),
    turns: array(count),
  })
}

/** How many of its `answers` each chat rule of the scenario has used. */
export const savedTurns: SavedPart<SavedTurns, undefined, ChatWorld> = {
  kind: 'turns',
  schema: turnsSchema,
  ofScenario: true,
  all: () => ONLY,
  records: (_thing, _id, { engine }) => [{ kind: 'turns', turns: engine.chat.turns }],
  restore([saved], { engine }) {
    if (saved) engine.chat.restoreTurns(saved.turns)
  },
}

/** How often the judge was called, and how many of its answers had a mistake. */
export interface JudgeCount {
  calls: number
  mistakes: number
}

export interface SavedJudge extends JudgeCount {
  kind: 'judged'
}

/** How often the judge was called. */
export const savedJudge: SavedPart<SavedJudge, undefined, ChatWorld> = {
  kind: 'judged',
  schema({ strictObject, literal, count }) {
    return strictObject({
      kind: literal('judged'),
      calls: count,
      mistakes: count,
    } satisfies FieldsOf<SavedJudge>)
  },
  ofScenario: true,
  all: ({ engine }) => (engine.chat.judged.calls > 0 ? ONLY : []),
  records: (_thing, _id, { engine }) => [{ kind: 'judged', ...engine.chat.judged }],
  restore([saved], { engine }) {
    if (saved) engine.chat.judged = { calls: saved.calls, mistakes: saved.mistakes }
  },
}

/** The total usage of a project. */
export interface ProjectTotal extends Usage {
  requests: number
}

export interface SavedUsage {
  kind: 'usage'
  key: string
  total: ProjectTotal
}

/** The usage of each project. */
export const savedUsage: SavedPart<SavedUsage, ProjectTotal, ChatWorld> = {
  kind: 'usage',
  schema({ strictObject, literal, string, count }) {
    const total = {
      requests: count,
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: count,
    }
    return strictObject({
      kind: literal('usage'),
      key: string(),
      total: strictObject(total satisfies FieldsOf<ProjectTotal>),
    } satisfies FieldsOf<SavedUsage>)
  },
  all: ({ engine }) => engine.chat.usage.totals,
  records: (total, key) => [{ kind: 'usage', key, total }],
  restore(records, { engine }) {
    for (const { key, total } of records) engine.chat.usage.totals.set(key, total)
  },
}
