import { warnOfBaseAnswer } from '../engine/base-answers.js'
import type { Completion, Usage } from '../engine/chat/completion.js'
import type { ChatRequest } from '../engine/chat/request.js'
import type { Engine } from '../engine/engine.js'
import type { RequestEntry } from '../engine/journal.js'
import { counted } from '../../base/text/counted.js'
import { projectHeaderOf } from './fault-request.js'

/** A chat that is answered, in the world that answers it. */
interface AnsweredChat {
  readonly engine: Engine
  readonly entry: RequestEntry
  readonly request: ChatRequest
}

/** Notes an answer wherever somebody asks for it later: the journal, the meter, the lineage and the timeline. */
export function recordChat(chat: AnsweredChat, completion: Completion): void {
  const { engine, entry, request } = chat
  const { effect, answeredBy } = completion
  if (effect !== undefined) entry.effects.push(effect)
  if (answeredBy !== undefined) entry.answeredBy = answeredBy
  recordUsage(chat, completion)
  engine.lineage.sampled(request, completion, entry.id)
  announce(chat)
  const { params, served } = request
  warnOfBaseAnswer(engine, { name: params.model, served, request: entry.id })
}

function recordUsage(chat: AnsweredChat, completion: Completion): void {
  const { engine, entry, request } = chat
  const { usage, effect } = completion
  const { served } = request
  // What a judge answers has an effect.
  const isInvented = entry.chatRule === undefined && !effect
  if (isInvented && served.kind === 'base' && isOutside(engine, served.id)) {
    entry.inventedFor = served.id
  }
  engine.meter.count(request, usage)
  const project = projectHeaderOf(request.headers)
  const { prompt_tokens, completion_tokens } = usage
  entry.usage = { ...(project !== undefined && { project }), prompt_tokens, completion_tokens }
  const by = answererText(chat)
  const summary = `answered as ${by} with ${counted(completion_tokens, 'token')}`
  const sum = project === undefined ? '' : `; ${sumText(project, chat, usage)}`
  entry.answer = { by, effect: summary + sum }
  entry.effects.push(entry.answer.effect)
}

/** Adds to the sum of a project, and says it. */
function sumText(project: string, { engine }: AnsweredChat, usage: Usage): string {
  const { requests, total_tokens } = engine.chat.usage.count(project, usage)
  return `${project} is at ${counted(total_tokens, 'token')} in ${counted(requests, 'chat')}`
}

/** Says who answered. */
function answererText({ engine, entry, request: { served } }: AnsweredChat): string {
  if (served.kind !== 'base') {
    return `${served.model.record.name} at step ${served.checkpoint.step}`
  }
  // A rule for rollouts may match what a judge is asked.
  const isByRule = isOutside(engine, served.id) && entry.chatRule !== undefined
  return isByRule ? `${served.id} by chat.rules[${entry.chatRule}]` : served.id
}

/** Whether a base model is one that nobody lists: a judge, or a name that `serve_any_model` answers. */
function isOutside({ store }: Engine, baseModel: string): boolean {
  return !store.servesBaseModel(baseModel)
}

/** Tells the timeline that a checkpoint has answered. */
function announce({ engine, entry, request: { served } }: AnsweredChat): void {
  if (served.kind === 'base') return
  const { model, checkpoint } = served
  const at = engine.clock.now()
  engine.events.emit({ type: 'chat_answered', at, model, checkpoint, cause: entry.id })
}
