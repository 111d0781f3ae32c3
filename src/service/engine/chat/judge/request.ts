import type { JudgeRules } from '../../../scenario/scenario.js'
import { matchesGlob } from '../../../../base/text/glob.js'
import type { JsonSchema } from '../answer-format.js'
import type { ChatParams } from '../chat-params.js'
import type { Finder } from '../match.js'
import { answerIn, matchesJudged } from './answer.js'
import { findJudged, findScale, promptsIn } from './prompt.js'
import type { Judging } from './judging.js'
import { findListShape, findSingleShape } from './shape.js'

interface Reading {
  /** The model that answers. Undefined if no model has that name. */
  served: { kind: 'base' | 'adapter'; name: string } | undefined
  rules: JudgeRules | undefined
  finder: Finder
}

/**
 * Reads a request that asks for scores: one for each of several texts, or one for one text. The second kind
 * counts only if a rule or `models` of the scenario says so. Undefined for all other requests.
 */
export function readJudging(
  params: Pick<ChatParams, 'model' | 'messages' | 'format' | 'tools' | 'toolChoice'>,
  { served, rules, finder }: Reading,
): Judging | undefined {
  const { model, messages } = params
  const isNamed = isJudge(rules, model) || (served !== undefined && isJudge(rules, served.name))
  if (rules?.models !== undefined && !isNamed) return undefined
  const wanted = wantedSchema(params)
  if (!wanted) return undefined
  const base = { model, ...wanted, scale: findScale(messages) }
  const list = findListShape(wanted.schema)
  const judged = list && findJudged(messages, list)
  if (list && judged) return { ...base, kind: 'list', shape: list, judged }
  const single = findSingleShape(wanted.schema)
  if (!single) return undefined
  const text = promptsIn(messages).at(-1)?.trim() ?? ''
  const named =
    isNamed || (served?.kind !== 'adapter' && hasRuleFor({ text, model }, rules, finder))
  if (!named) return undefined
  return { ...base, kind: 'single', shape: single, judged: new Map([['', text]]) }
}

/** Whether the scenario names a model as a judge. */
export function isJudge(rules: JudgeRules | undefined, model: string): boolean {
  return rules?.models !== undefined && matchesGlob(model, rules.models)
}

/** Whether a rule with a condition matches a text. */
function hasRuleFor(
  { text, model }: { text: string; model: string },
  rules: JudgeRules | undefined,
  finder: Finder,
): boolean {
  const judged = { id: '', text, answer: answerIn(text), model }
  return (rules?.rules ?? []).some(({ match }) => {
    return match !== undefined && matchesJudged(judged, match, finder)
  })
}

/** The schema of the answer: that of the format, or that of the tool that the request demands. */
function wantedSchema({
  format,
  tools,
  toolChoice,
}: Pick<ChatParams, 'format' | 'tools' | 'toolChoice'>): AnswerSchema | undefined {
  if (typeof toolChoice === 'object' || (toolChoice === 'required' && tools.length === 1)) {
    const name = typeof toolChoice === 'object' ? toolChoice.name : tools[0]!.name
    const tool = tools.find((each) => each.name === name)
    return tool && { schema: tool.parameters, at: tool.at, tool: name }
  }
  if (typeof format !== 'object') return undefined
  const [part] = format.parts
  return typeof part === 'object' ? { ...part, tool: undefined } : undefined
}

interface AnswerSchema {
  schema: JsonSchema
  at: string
  tool: string | undefined
}
