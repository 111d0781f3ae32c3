import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { call } from '../data/control.js'
import { sendChat, type ChatAnswer, type Choice } from '../data/chat.js'
import { useLive } from '../data/use-live.js'
import { useLoaded } from '../data/use-loaded.js'
import { CopyButton } from '../parts/copy-button.js'
import { Page } from '../parts/page.js'
import { Field, FieldError, jsonField, placed } from '../parts/field.js'
import { chatSnippets, LOCAL_KEY, Snippets } from '../parts/snippets.js'
import { fieldText, Problem } from '../parts/use-action.js'
import { figure } from '../parts/wording.js'
import { hrefOf, useQuery } from '../routes.js'

const ROLES = ['system', 'user', 'assistant'] as const

interface Message {
  role: (typeof ROLES)[number]
  content: string
}

const FIELDS = ['model', 'temperature', 'max_tokens', 'n', 'top_logprobs', 'tools', 'more', 'key']

/** Sends chats to a model, and shows the answers as they arrive. */
export function ChatPage(): ComponentChildren {
  const info = useLive((live) => live.info)!
  const mode = useLive((live) => live.clock?.mode)
  const [model, setModel] = useQuery('model')
  const { names, loading } = useModelNames()
  const [messages, setMessages] = useState<readonly Message[]>([{ role: 'user', content: '' }])
  const [key, setKey] = useState(LOCAL_KEY)
  const [answer, setAnswer] = useState<ChatAnswer>()
  const [body, setBody] = useState<object>()
  const [problem, setProblem] = useState<Error>()
  const flight = useRef<AbortController>(undefined)
  useEffect(() => () => flight.current?.abort(), [])
  const [cleared, setCleared] = useState(false)
  const used = model === '' && !cleared ? (names[0] ?? '') : model
  const busy = answer !== undefined && answer.done === undefined
  // The field is empty until the first name is known.
  const choosing = loading && model === '' && !cleared
  const { fields, rest } = placed(problem, FIELDS)
  const send = (form: HTMLFormElement): void => {
    setProblem(undefined)
    let request: object
    try {
      request = bodyOf(form, { model: used, messages })
    } catch (error) {
      setProblem(error as Error)
      return
    }
    const controller = new AbortController()
    flight.current = controller
    setBody(request)
    setAnswer({ raw: '', choices: [] })
    const { signal } = controller
    sendChat({ body: request, key, info, signal, show: setAnswer }).catch((error: unknown) => {
      setAnswer(undefined)
      setProblem(error as Error)
    })
  }
  return (
    <Page title="Chat">
      <form
        class="actions fields"
        aria-label="Chat"
        aria-busy={busy}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy && !choosing) send(event.currentTarget)
        }}
      >
        <Field
          label="Model"
          wide
          problem={fields['model']}
          hint="A base model, a trained model, or one of its checkpoints, such as team/project/poet:step3."
        >
          {(attributes) => (
            <>
              <input
                {...attributes}
                list="chat-models"
                class="mono"
                value={used}
                onInput={({ currentTarget: { value } }) => {
                  setCleared(value === '')
                  setModel(value)
                }}
              />
              <datalist id="chat-models">
                {names.map((name) => (
                  <option key={name} value={name} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        <Messages of={messages} change={setMessages} />
        <Options problems={fields} />
        <Field
          label="API key"
          problem={fields['key']}
          hint={
            info.isolate === null
              ? 'Any key works, unless you configured keys.'
              : 'Each key has a world of its own. The key decides which one answers.'
          }
        >
          {(attributes) => (
            <input
              {...attributes}
              class="mono"
              autocomplete="off"
              value={key}
              onInput={({ currentTarget }) => setKey(currentTarget.value.trim())}
            />
          )}
        </Field>
        <div class="line">
          <button disabled={busy || choosing}>Send</button>
          <button type="button" disabled={!busy} onClick={() => flight.current?.abort()}>
            Stop
          </button>
          {busy && <span role="status">{waitingText(answer, mode)}</span>}
        </div>
        <Problem of={rest} />
      </form>
      {answer && (
        <Answer
          of={answer}
          goOn={(content) =>
            setMessages([
              ...messages,
              { role: 'assistant', content },
              { role: 'user', content: '' },
            ])
          }
        />
      )}
      {body && <Sent body={body} answer={answer} />}
      {body && (
        <section aria-label="As code">
          <h2>As code</h2>
          <Snippets of={chatSnippets(body, key)} />
        </section>
      )}
    </Page>
  )
}

function waitingText(answer: ChatAnswer | undefined, mode: string | undefined): string {
  if (answer?.status !== undefined) return 'Receiving…'
  if (mode === 'manual') return 'Waiting. If the answer has a delay, advance the clock.'
  return 'Waiting…'
}

/** The base models of the scenario, the trained models, and their served checkpoints, newest first. */
function useModelNames(): { names: readonly string[]; loading: boolean } {
  const { value, error } = useLoaded(async () => {
    const [{ scenario }, { models }] = await Promise.all([
      call('GET /scenario'),
      call('GET /models'),
    ])
    const base = scenario.base_models.map((each) => (typeof each === 'string' ? each : each.id))
    const trained = models.toReversed().flatMap(({ entity, project, name, checkpoints }) => {
      const full = `${entity}/${project}/${name}`
      const served = checkpoints.filter((each) => each.served).toReversed()
      return [full, ...served.map(({ step }) => `${full}:step${step}`)]
    })
    return [...trained, ...base]
  })
  return { names: value ?? [], loading: value === undefined && error === undefined }
}

interface MessagesProps {
  of: readonly Message[]
  change: (messages: readonly Message[]) => void
}

function Messages({ of: messages, change }: MessagesProps): ComponentChildren {
  const replace = (at: number, more: Partial<Message>): void =>
    change(messages.map((each, index) => (index === at ? { ...each, ...more } : each)))
  const add = (message: Message): void => {
    if (message.role === 'system') change([message, ...messages])
    else change([...messages, message])
  }
  return (
    <fieldset>
      <legend>Messages</legend>
      <div class="messages">
        {messages.map(({ role, content }, at) => (
          <div key={at} class="message">
            <select
              aria-label={`Role of message ${at + 1}`}
              value={role}
              onChange={({ currentTarget }) =>
                replace(at, { role: currentTarget.value as Message['role'] })
              }
            >
              {ROLES.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
            <textarea
              aria-label={`Message ${at + 1}`}
              placeholder={role === 'system' ? 'You are a poet.' : 'Hello'}
              value={content}
              onInput={({ currentTarget }) => replace(at, { content: currentTarget.value })}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
                event.preventDefault()
                event.currentTarget.form?.requestSubmit()
              }}
            />
            <button
              type="button"
              aria-label={`Remove message ${at + 1}`}
              disabled={messages.length === 1}
              onClick={() => change(messages.filter((_, index) => index !== at))}
            >
              Remove
            </button>
          </div>
        ))}
        <div class="line">
          <button type="button" onClick={() => add({ role: 'user', content: '' })}>
            Add message
          </button>
          {messages[0]?.role !== 'system' && (
            <button type="button" onClick={() => add({ role: 'system', content: '' })}>
              Add system message
            </button>
          )}
          <span class="faint">Ctrl+Enter sends.</span>
        </div>
      </div>
    </fieldset>
  )
}

const NUMBERS = [
  ['temperature', '1'],
  ['max_tokens', 'no limit'],
  ['n', '1'],
  ['top_logprobs', 'none'],
] as const

function Options({ problems }: { problems: Readonly<Record<string, string>> }): ComponentChildren {
  return (
    <>
      {NUMBERS.map(([name, initial]) => (
        <Field key={name} label={name} problem={problems[name]}>
          {(attributes) => (
            <input {...attributes} name={name} inputMode="decimal" placeholder={initial} />
          )}
        </Field>
      ))}
      <div class="line">
        <label>
          <input type="checkbox" name="stream" defaultChecked /> stream
        </label>
        <label>
          <input type="checkbox" name="logprobs" /> logprobs
        </label>
      </div>
      <details class="more-options">
        <summary>Tools and more parameters</summary>
        <Field label="tools, as JSON" problem={problems['tools']}>
          {(attributes) => (
            <textarea {...attributes} name="tools" class="mono" placeholder={TOOLS_EXAMPLE} />
          )}
        </Field>
        <Field
          label="More parameters, as JSON"
          problem={problems['more']}
          hint="They replace those above."
        >
          {(attributes) => (
            <textarea
              {...attributes}
              name="more"
              class="mono"
              placeholder={'{"seed": 7, "stop": ["END"]}'}
            />
          )}
        </Field>
      </details>
    </>
  )
}

const TOOLS_EXAMPLE =
  '[{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]'

interface ChatChoice {
  model: string
  messages: readonly Message[]
}

/** @throws {FieldError} When a field can't be read. */
function bodyOf(form: HTMLFormElement, { model, messages }: ChatChoice): object {
  if (model.trim() === '') throw new FieldError('model', 'Enter the name of a model.')
  const numbers: Record<string, number> = {}
  for (const [name] of NUMBERS) {
    const text = fieldText(form, name)
    if (text === '') continue
    if (!Number.isFinite(Number(text))) throw new FieldError(name, `"${text}" is not a number.`)
    numbers[name] = Number(text)
  }
  const checked = (name: string): boolean => new FormData(form).has(name)
  const stream = checked('stream')
  const tools = jsonField(fieldText(form, 'tools'), 'tools', 'list')
  const more = jsonField(fieldText(form, 'more'), 'more', 'object')
  return {
    model: model.trim(),
    messages,
    ...numbers,
    ...((checked('logprobs') || 'top_logprobs' in numbers) && { logprobs: true }),
    ...(tools && { tools }),
    ...(stream && { stream, stream_options: { include_usage: true } }),
    ...more,
  }
}

interface AnswerProps {
  of: ChatAnswer
  /** Continues the conversation after this answer. */
  goOn: (content: string) => void
}

function Answer({ of: answer, goOn }: AnswerProps): ComponentChildren {
  const { status, choices, usage, error, requestId, done } = answer
  const [first] = choices
  return (
    <section class="answer" aria-label="Answer" aria-busy={!done}>
      <div class="line">
        <h2>Answer</h2>
        {status !== undefined && (
          <span class={status < 400 ? 'mono good' : 'mono bad'}>{status}</span>
        )}
        {requestId !== undefined && (
          <a href={hrefOf({ page: 'request', id: String(requestId) })}>Request {requestId}</a>
        )}
        {done && first?.content && (
          <button type="button" onClick={() => goOn(first.content)}>
            Continue the conversation
          </button>
        )}
      </div>
      {error !== undefined && (
        <div class="problem" role="alert">
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

function ChoiceView({ of: choice, many }: { of: Choice; many: boolean }): ComponentChildren {
  const { index, content, refusal, toolCalls, finishReason, logprobs } = choice
  return (
    <div class="choice">
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
          <summary>Log probabilities of {logprobs.length} tokens</summary>
          <p class="tokens mono">
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

/** The request and the answer as they were sent. */
function Sent({
  body,
  answer,
}: {
  body: object
  answer: ChatAnswer | undefined
}): ComponentChildren {
  const request = JSON.stringify(body, undefined, 2)
  const raw = answer?.raw ?? ''
  return (
    <details class="raw">
      <summary>Raw request and answer</summary>
      <div class="line">
        <h2>Request</h2>
        <CopyButton text={request} what="the request" />
      </div>
      <pre tabIndex={0}>{request}</pre>
      <div class="line">
        <h2>Answer</h2>
        <CopyButton text={raw} what="the answer" />
      </div>
      <pre tabIndex={0}>{raw}</pre>
    </details>
  )
}
