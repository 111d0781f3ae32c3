import type { ComponentChildren } from 'preact'
import type { ChatAnswer } from '../data/chat.js'
import type { ChatChoice } from '../data/chat-answer.js'
import { hrefOf } from '../routes.js'
import { CopyText } from './copy-button.js'
import { counted, figure } from './amounts.js'

interface ChatAnswerViewProps {
  of: ChatAnswer
  /** Continues the conversation after this answer. */
  goOn: (content: string) => void
}

/** An answer as far as it has arrived. */
export function ChatAnswerView({ of: answer, goOn }: ChatAnswerViewProps): ComponentChildren {
  const { status = 0, raw, read, lost, requestId, done } = answer
  const { choices, usage } = read
  const [first] = choices
  const refused = status >= 400 ? raw || 'The answer is empty.' : undefined
  const error = lost ?? (done && (read.error ?? refused))
  return (
    <section class="stack" aria-label="Answer" aria-busy={!done}>
      <div class="line">
        <h2>Answer</h2>
        {status !== 0 && <span class={status < 400 ? 'mono good' : 'mono bad'}>{status}</span>}
        {requestId !== undefined && (
          <a href={hrefOf({ page: 'request', id: String(requestId) })}>Request {requestId}</a>
        )}
        {done && first?.content && (
          <button type="button" onClick={() => goOn(first.content)}>
            Continue the conversation
          </button>
        )}
      </div>
      {error && (
        <div class="problem note" role="alert">
          {error}
        </div>
      )}
      {choices.map((choice) => (
        <ChoiceView key={choice.index} of={choice} many={choices.length > 1} />
      ))}
      {usage !== undefined && <p class="faint mono">usage {JSON.stringify(usage)}</p>}
      {done && !error && choices.length === 0 && <p class="empty">The answer has no choices.</p>}
    </section>
  )
}

function ChoiceView({ of: choice, many }: { of: ChatChoice; many: boolean }): ComponentChildren {
  const { index, content, refusal, toolCalls, finishReason, logprobs } = choice
  return (
    <div class="choice card stack">
      {many && <h3 class="faint">choice {index}</h3>}
      {content !== '' && <p class="said">{content}</p>}
      {refusal !== '' && <p class="bad">refusal: {refusal}</p>}
      {toolCalls.map((each) => (
        <pre key={each.id} tabIndex={0} aria-label={`Tool call ${each.name}`}>
          {each.name}({each.arguments})
        </pre>
      ))}
      {finishReason !== undefined && <p class="faint">finish_reason {finishReason}</p>}
      {logprobs.length > 0 && (
        <details>
          <summary>Log probabilities of {counted(logprobs.length, 'token')}</summary>
          <p class="legend mono">
            {logprobs.map(({ token, logprob }, at) => (
              <span key={at}>
                {JSON.stringify(token)} {figure(logprob)}
              </span>
            ))}
          </p>
        </details>
      )}
    </div>
  )
}

interface SentAndReceivedProps {
  body: object
  answer: ChatAnswer | undefined
}

/** The request and the answer as they were sent. */
export function SentAndReceived({ body, answer }: SentAndReceivedProps): ComponentChildren {
  return (
    <details>
      <summary>Raw request and answer</summary>
      <div class="stack">
        <CopyText title="Request" text={JSON.stringify(body, undefined, 2)} />
        <CopyText title="Answer" text={answer?.raw ?? ''} />
      </div>
    </details>
  )
}
