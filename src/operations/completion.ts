import { textIn, tokensOf } from '../engine/chat/answer.js'
import type { Answer } from '../engine/chat/answer.js'
import type { Completion, Drawn } from '../engine/chat/completion.js'
import { logprobsOf } from '../engine/chat/logprobs.js'

/** Of log probabilities, what was asked for: how many alternatives, or none at all. */
export type AskedLogprobs = { top: number } | undefined

/** A completion in full, as clients read it (contract facts, section 6.1). */
export function completionBody(completion: Completion, logprobs: AskedLogprobs): object {
  const { id, created, model, answers, usage } = completion
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: answers.map((drawn, index) => ({
      index,
      message: messageOf(drawn.answer),
      finish_reason: drawn.answer.finishReason,
      logprobs: logprobs ? choiceLogprobs(drawn, logprobs) : null,
    })),
    usage,
  }
}

function messageOf(answer: Answer): object {
  const calls = answer.parts.flatMap((part) => (part.kind === 'tool_call' ? part : []))
  return {
    role: 'assistant',
    content: textIn(answer, 'content'),
    refusal: textIn(answer, 'refusal'),
    // Left out where there are none: null is refused when the message comes back in a trajectory.
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, tokens }) => ({
        id,
        type: 'function',
        function: { name: name.text, arguments: tokens.join('') },
      })),
    }),
  }
}

/** One entry for each token that was generated, those of tool calls among them. */
function choiceLogprobs({ answer, draws }: Drawn, { top }: { top: number }): object {
  const all = logprobsOf(tokensOf(answer), { draws, top })
  const isRefusal = answer.parts.some(({ kind }) => kind === 'refusal')
  return isRefusal ? { content: null, refusal: all } : { content: all, refusal: null }
}
