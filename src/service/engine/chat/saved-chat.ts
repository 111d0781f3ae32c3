import type { ContentFrom, RecordFields } from '../saved/record-fields.js'
import { ONLY, type KeyedRecord, type OnlyRecord, type SavedPart } from '../saved/saved-part.js'

export interface ChatWorld {
  readonly engine: {
    readonly chat: {
      readonly repeats: { readonly times: Map<string, number> }
      readonly turns: number[]
      restoreTurns: (turns: readonly number[]) => void
      readonly judge: { readonly count: JudgeCount; restore: (count: JudgeCount) => void }
      readonly usage: { readonly totals: Map<string, ProjectTotal> }
    }
  }
}

type RepeatsRecord = KeyedRecord<'asking', { times: number }>

/** How often each chat prompt was repeated. */
export const savedRepeats: SavedPart<RepeatsRecord, number, ChatWorld> = {
  kind: 'asking',
  fields: ({ count }) => ({ times: count }),
  all: ({ engine }) => engine.chat.repeats.times,
  content: (times) => ({ times }),
  restore(records, { engine }) {
    for (const { key, times } of records) engine.chat.repeats.times.set(key, times)
  },
  // The only request with this prompt was refused, or the prompt is forgotten.
  isGone: ({ times }) => times === 0,
}

type TurnsRecord = OnlyRecord<'turns', { turns: number[] }>

/** How many of its `answers` each chat rule of the scenario has used. */
export const savedTurns: SavedPart<TurnsRecord, undefined, ChatWorld> = {
  kind: 'turns',
  isOne: true,
  fields: ({ array, count }) => ({ turns: array(count) }),
  ofScenario: true,
  all: () => ONLY,
  content: (_thing, _id, { engine }) => ({ turns: engine.chat.turns }),
  restore([saved], { engine }) {
    if (saved) engine.chat.restoreTurns(saved.turns)
  },
}

/** How often the judge was called, and how many of its answers had a mistake. */
export interface JudgeCount {
  calls: number
  mistakes: number
}

/** How often the judge was called. */
export const savedJudge: SavedPart<OnlyRecord<'judged', JudgeCount>, undefined, ChatWorld> = {
  kind: 'judged',
  isOne: true,
  fields: ({ count }) => ({ calls: count, mistakes: count }),
  ofScenario: true,
  all: ({ engine }) => (engine.chat.judge.count.calls > 0 ? ONLY : []),
  content: (_thing, _id, { engine }) => engine.chat.judge.count,
  restore([saved], { engine }) {
    if (saved) engine.chat.judge.restore({ calls: saved.calls, mistakes: saved.mistakes })
  },
}

function usageFields({ strictObject, count }: RecordFields) {
  return {
    total: strictObject({
      requests: count,
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: count,
    }),
  }
}

type UsageContent = ContentFrom<typeof usageFields>

/** The total usage of a project. */
export type ProjectTotal = UsageContent['total']

type UsageRecord = KeyedRecord<'usage', UsageContent>

/** The usage of each project. */
export const savedUsage: SavedPart<UsageRecord, ProjectTotal, ChatWorld> = {
  kind: 'usage',
  fields: usageFields,
  all: ({ engine }) => engine.chat.usage.totals,
  content: (total) => ({ total }),
  restore(records, { engine }) {
    for (const { key, total } of records) engine.chat.usage.totals.set(key, total)
  },
}
