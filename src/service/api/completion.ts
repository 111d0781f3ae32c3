import type { ChatCompletion, ChoiceLogprobs, CompletionMessage } from '../contract/chat.js'
import { textIn, tokensText, tokensOf, type Answer } from '../engine/chat/answer.js'
import type { ChatParams } from '../engine/chat/chat-params.js'
import type { Completion, DrawnAnswer } from '../engine/chat/completion.js'
import { logprobsOf, type TokenLogprob } from '../engine/chat/logprobs.js'

/** What an answer includes about tokens. */
export type TokenOptions = Pick<
  ChatParams,
  'logprobs' | 'topLogprobs' | 'returnsTokenIds' | 'namesTokensById'
>

/** A completion in one piece, as clients read it. */
export function completionBody(completion: Completion, options: TokenOptions): ChatCompletion {
  const { id, created, model, answers, usage, promptTokenIds } = completion
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: answers.map((drawn, index) => {
      const { answer } = drawn
      const logprobs = tokenLogprobs(drawn, completion, options)
      return {
        index,
        message: messageOf(answer),
        finish_reason: answer.finishReason,
        stop_reason: answer.stopReason,
        logprobs: logprobs ? choiceLogprobs(answer, logprobs) : null,
        token_ids: options.returnsTokenIds ? tokensOf(answer).map(({ id: token }) => token) : null,
      }
    }),
    usage,
    prompt_token_ids: promptTokenIds ?? null,
    prompt_logprobs: null,
    kv_transfer_params: null,
  }
}

/** One entry for each generated token, including the tokens of tool calls. */
export function tokenLogprobs(
  { answer, draws }: DrawnAnswer,
  { alternatives }: Completion,
  { logprobs, topLogprobs: top, namesTokensById: byId }: TokenOptions,
): TokenLogprob[] | undefined {
  if (!logprobs) return undefined
  return logprobsOf(tokensOf(answer), { draws, top, byId, alternatives })
}

/** Every token is in `content`. The tokens of a refusal are in both lists. */
export function choiceLogprobs(answer: Answer, logprobs: TokenLogprob[]): ChoiceLogprobs {
  const isRefusal = answer.parts.some(({ kind }) => kind === 'refusal')
  return { content: logprobs, refusal: isRefusal ? logprobs : null }
}

function messageOf(answer: Answer): CompletionMessage {
  const calls = answer.parts.flatMap((part) => (part.kind === 'tool_call' ? part : []))
  return {
    role: 'assistant',
    content: textIn(answer, 'content'),
    refusal: textIn(answer, 'refusal'),
    // Absent without calls: a trajectory with this message would be refused if it were null.
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, tokens }) => ({
        id,
        type: 'function',
        function: { name, arguments: tokensText(tokens) },
      })),
    }),
  }
}
