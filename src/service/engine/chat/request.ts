import type { ServedModel } from '../served-models.js'
import type { ChatParams } from './chat-params.js'
import { contentText, type ChatFacts } from '../../scenario/chat-facts.js'

/** A chat request, with the model that answers it. */
export interface ChatRequest {
  params: ChatParams
  served: Exclude<ServedModel, { kind: 'unserved' }>
  headers: Readonly<Record<string, string | undefined>>
  /** Called with the index of the rule that answers. */
  onRule?: ((index: number) => void) | undefined
}

/** The id of a base model, or the name of a trained one. */
export function servedName(served: ChatRequest['served']): string {
  return served.kind === 'base' ? served.id : served.model.record.name
}

/** The base model of the model that answers: an adapter has the tokens and the window of its base model. */
export function baseModelOf({ served }: Pick<ChatRequest, 'served'>): string {
  return served.kind === 'base' ? served.id : served.model.record.base_model
}

/** Returns the facts of a request that rules match against. */
export function factsOf({ params, served, headers }: ChatRequest): ChatFacts {
  const { model, messages, tools, body } = params
  const instructions = messages.filter(({ role }) => role === 'system' || role === 'developer')
  const questions = messages.filter(({ role }) => role === 'user')
  const last = questions.at(-1)
  return {
    model,
    name: servedName(served),
    step: served.kind === 'base' ? 0 : served.checkpoint.step,
    user: last ? contentText(last) : '',
    system: instructions.map(contentText).join('\n'),
    turn: questions.length,
    tools: tools.map(({ name }) => name),
    messages,
    headers,
    body,
  }
}
