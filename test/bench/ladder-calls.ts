import type { Call, Calls } from './calls.js'

/** The calls of the ladder. Each is a column of its table. */
export const LADDER_CALLS = ['firstPage', 'smallPage', 'deepPage', 'chat'] as const
export type LadderCall = (typeof LADDER_CALLS)[number]

/** What a server of the ladder does for an answer. */
export type Rung = 'stored' | 'express' | 'objects' | 'computed'

export function ladderCalls({
  firstPage,
  deepPage,
  chat,
}: Pick<Required<Calls>, 'firstPage' | 'deepPage' | 'chat'>): Record<LadderCall, Call> {
  const smallPage = { ...firstPage, path: firstPage.path.replace(/limit=\d+/, 'limit=20') }
  return { firstPage, smallPage, deepPage, chat }
}
