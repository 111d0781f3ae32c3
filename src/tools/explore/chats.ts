import type { ScenarioInput } from '../../service/scenario/scenario.js'
import { plain } from './plain-scenario.js'

/**
 * What scenarios of the user say about answers: `chat.rules`, `chat.judge` without its mistakes, and `base_models`. It
 * holds in each run, because code that reads an answer may fail without it. All else is tried in a run of its own.
 */
export type Chats = Pick<ScenarioInput, 'chat' | 'base_models'>

type Judge = NonNullable<ScenarioInput['chat']>['judge']

/** Returns what scenarios say about answers. Of several, the first one that says something counts. */
export function chatsOf(scenarios: readonly ScenarioInput[]): Chats {
  const all = scenarios.map(plain)
  const rules = all.find(({ chat }) => chat?.rules)?.chat?.rules
  const judge = withoutMistakes(all.find(({ chat }) => chat?.judge !== undefined)?.chat?.judge)
  const models = all.find((each) => each.base_models)?.base_models
  const chat = { ...(rules && { rules }), ...(judge !== undefined && { judge }) }
  return {
    ...(Object.keys(chat).length > 0 && { chat }),
    ...(models && { base_models: models }),
  }
}

function withoutMistakes(judge: Judge): Judge {
  if (judge === undefined || judge === false) return judge
  const { mistake: _, calls: _calls, ...answers } = judge
  return Object.keys(answers).length > 0 ? answers : undefined
}

/** Adds what the user said about answers to a scenario. What the scenario itself says comes first. */
export function withChats(scenario: ScenarioInput, chats: Chats): ScenarioInput {
  if (Object.keys(chats).length === 0) return scenario
  const own = plain(scenario)
  const rules = joined(own.chat?.rules, chats.chat?.rules)
  const judge = merged(own.chat?.judge, chats.chat?.judge)
  const chat = { ...own.chat, ...(rules && { rules }), ...(judge !== undefined && { judge }) }
  return { ...chats, ...own, ...(Object.keys(chat).length > 0 && { chat }) }
}

function merged(own: Judge, added: Judge): Judge {
  if (own === false || added === undefined || added === false) return own ?? added
  return { ...added, ...own }
}

/** Both lists, without what comes twice. Undefined if there is none. */
function joined<T>(own: readonly T[] = [], added: readonly T[] = []): T[] | undefined {
  const known = new Set(own.map((each) => JSON.stringify(each)))
  const all = [...own, ...added.filter((each) => !known.has(JSON.stringify(each)))]
  return all.length > 0 ? all : undefined
}
