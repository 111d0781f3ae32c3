import type { JudgeRules } from '../../../scenario/scenario.js'
import type { JsonSchema } from '../answer-format.js'
import type { ChatParams } from '../chat-params.js'
import type { Finder } from '../match.js'
import { answerIn, matchesJudged } from './answer.js'
import { findJudged, findScale, promptsIn } from './prompt.js'
import type { Judging } from './judging.js'
import { findForm, numberForm, type ScoreForm } from './form.js'
import { findListShape, findSingleShape, SCORE } from './shape.js'

interface Reading {
  /** The model that answers. Undefined if no model has that name. */
  served: { kind: 'base' | 'adapter'; name: string } | undefined
  /** Whether the scenario names the model as a judge, or the one that answers. */
  isNamed: boolean
  /** Whether its chats may be rollouts: it is trained here, or the base of a model that is. */
  isTrained: boolean
  rules: JudgeRules | undefined
  finder: Finder
}

/**
 * Reads a request that asks for scores: one for each of several texts, or one for one text. The second kind counts
 * only with a model that is not trained here, unless a rule or `models` of the scenario says otherwise. Undefined for
 * all other requests.
 */
export function readJudging(params: AskingParams, reading: Reading): Judging | undefined {
  const { model, messages } = params
  if (reading.rules?.models !== undefined && !reading.isNamed) return undefined
  const wanted = wantedSchema(params)
  const list = wanted && findListShape(wanted.schema)
  const judged = list && findJudged(messages, list)
  const given = new Map<string, string>()
  return judged
    ? { model, given, ...wanted, scale: findScale(messages), kind: 'list', shape: list, judged }
    : readSingle(params, wanted, reading)
}

/** Reads a request for the score of one text. */
function readSingle(
  params: AskingParams,
  wanted: AnswerSchema | undefined,
  { served, isTrained, rules, finder, isNamed }: Reading,
): Judging | undefined {
  const { model, messages } = params
  const form = wanted ?? (isNamed || !isTrained ? plainForm(params, isNamed) : undefined)
  const shape = form && findSingleShape(form.schema)
  if (!shape) return undefined
  const text = promptsIn(messages).at(-1)?.trim() ?? ''
  const counts =
    isNamed ||
    (!isTrained && SCORE.test(shape.score)) ||
    (served?.kind !== 'adapter' && hasRuleFor({ text, model }, rules, finder))
  if (!counts) return undefined
  return {
    model,
    scale: findScale(messages),
    ...form,
    kind: 'single',
    shape,
    judged: new Map([['', text]]),
    given: new Map(),
  }
}

type AskingParams = Pick<ChatParams, 'model' | 'messages' | 'format' | 'tools' | 'toolChoice'>

/** The form of a score in a request without a schema. A model that the scenario names is asked for scores only. */
function plainForm(
  { messages, format, tools }: Pick<ChatParams, 'messages' | 'format' | 'tools'>,
  isNamed: boolean,
): (AnswerSchema & ScoreForm) | undefined {
  if (tools.length > 0 || typeof format === 'object') return undefined
  const form = findForm(messages, isNamed) ?? (isNamed ? numberForm(messages) : undefined)
  const base = { at: 'messages', tool: undefined }
  return form && { ...base, ...form, ...(format === 'json' && { write: undefined }) }
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
