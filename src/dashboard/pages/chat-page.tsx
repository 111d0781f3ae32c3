import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { baseModels } from '../data/base-models.js'
import { call } from '../data/control.js'
import { sendChat, type ChatAnswer } from '../data/chat.js'
import type { Choice } from '../data/chat-answer.js'
import type { JsonSchema } from '../kit/json-schema.js'
import { useLive } from '../data/use-live.js'
import { useLoaded } from '../data/use-loaded.js'
import { Choice as ChoiceField } from '../parts/choice.js'
import { CopyText } from '../parts/copy-button.js'
import { Page } from '../parts/page.js'
import { bodyOf, FieldError, Fields, type FormField, type Values } from '../kit/fields.js'
import { refusedAt } from '../kit/form.js'
import { chatSnippets, LOCAL_KEY, Snippets } from '../parts/snippets.js'
import { Problem, useAction } from '../parts/use-action.js'
import { figure, fullName } from '../parts/wording.js'
import { hrefOf, useQuery } from '../routes.js'

const ROLES = ['system', 'user', 'assistant'] as const

interface Message {
  role: (typeof ROLES)[number]
  content: string
}

const SCHEMA: JsonSchema = {
  properties: {
    model: { type: 'string' },
    temperature: { type: 'number' },
    max_tokens: { type: 'number' },
    n: { type: 'number' },
    top_logprobs: { type: 'number' },
    tools: { type: 'array' },
    more: { type: 'object' },
    stream: { type: 'boolean', default: true },
    logprobs: { type: 'boolean', default: false },
    key: { type: 'string' },
  },
}
const MODEL: FormField = {
  place: 'model',
  label: 'Model',
  hint: 'A base model, a trained model, or one of its checkpoints, such as team/project/poet:step3.',
  wide: true,
}
const NUMBERS: readonly FormField[] = [
  { place: 'temperature', label: 'temperature', example: '1', prose: true },
  { place: 'max_tokens', label: 'max_tokens', example: 'no limit', prose: true },
  { place: 'n', label: 'n', example: '1', prose: true },
  { place: 'top_logprobs', label: 'top_logprobs', example: 'none', prose: true },
]
const MORE: readonly FormField[] = [
  {
    place: 'tools',
    label: 'tools, as JSON',
    example:
      '[{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]',
  },
  {
    place: 'more',
    label: 'More parameters, as JSON',
    hint: 'They replace those above.',
    example: '{"seed": 7, "stop": ["END"]}',
  },
]
const FLAGS: readonly FormField[] = [{ place: 'stream' }, { place: 'logprobs' }]
const KEY: FormField = { place: 'key', label: 'API key' }

/** Sends chats to a model, and shows the answers as they arrive. */
export function ChatPage(): ComponentChildren {
  const [messages, setMessages] = useState<readonly Message[]>([{ role: 'user', content: '' }])
  const [key, setKey] = useState<string>(LOCAL_KEY)
  const { answer, body, send, stop } = useChat(key)
  const goOn = (content: string): void =>
    setMessages([...messages, { role: 'assistant', content }, { role: 'user', content: '' }])
  return (
    <Page title="Chat">
      <ChatForm {...{ messages, setMessages, apiKey: key, setKey, answer, send, stop }} />
      {answer && <Answer of={answer} goOn={goOn} />}
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

interface Chat {
  answer: ChatAnswer | undefined
  /** What was sent. */
  body: object | undefined
  send: (body: object) => Promise<void>
  stop: () => void
}

/** One chat at a time, with its answer as far as it has arrived. */
function useChat(key: string): Chat {
  const info = useLive((live) => live.info)!
  const [answer, setAnswer] = useState<ChatAnswer>()
  const [body, setBody] = useState<object>()
  const flight = useRef<AbortController>(undefined)
  const stop = (): void => flight.current?.abort()
  useEffect(() => stop, [])
  const send = async (next: object): Promise<void> => {
    const { signal } = (flight.current = new AbortController())
    setBody(next)
    try {
      await sendChat({ body: next, key, info, signal, show: setAnswer })
    } catch (error) {
      setAnswer(undefined)
      throw error
    }
  }
  return { answer, body, send, stop }
}

interface ChatFormProps extends Omit<Chat, 'body'> {
  messages: readonly Message[]
  setMessages: (messages: readonly Message[]) => void
  apiKey: string
  setKey: (key: string) => void
}

function ChatForm(props: ChatFormProps): ComponentChildren {
  const { messages, setMessages, apiKey, setKey, answer, send, stop } = props
  const isolate = useLive((live) => live.info?.isolate)
  const mode = useLive((live) => live.clock?.mode)
  const { model, setModel, names, isLoading } = useModel()
  const [options, setOptions] = useState<Values>({})
  const { busy, run, problem } = useAction()
  const problems = refusedAt(problem, [MODEL, ...NUMBERS, ...MORE, KEY])
  const values: Values = { ...options, model, key: apiKey }
  const change = ({ model: named, key, ...others }: Values): void => {
    if (named !== model) setModel(textOf(named))
    setKey(textOf(key).trim())
    setOptions(others)
  }
  const draw = (...fields: readonly FormField[]): ComponentChildren => (
    <Fields {...{ schema: SCHEMA, fields, values, problems, change }} />
  )
  return (
    <form
      class="actions fields"
      aria-label="Chat"
      aria-busy={busy}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isLoading) run(async () => send(chatBody(values, messages)))
      }}
    >
      {draw({ ...MODEL, known: names })}
      <Messages of={messages} change={setMessages} />
      {draw(...NUMBERS)}
      <div class="line">{draw(...FLAGS)}</div>
      <details>
        <summary>Tools and more parameters</summary>
        <div class="fields">{draw(...MORE)}</div>
      </details>
      {draw({ ...KEY, hint: isolate === null ? ANY_KEY : OWN_WORLD })}
      <div class="line">
        <button disabled={busy || isLoading}>Send</button>
        <button type="button" disabled={!busy} onClick={stop}>
          Stop
        </button>
        {busy && <span role="status">{waitingText(answer, mode)}</span>}
      </div>
      <Problem of={problems.length === 0 ? problem : undefined} />
    </form>
  )
}

const ANY_KEY = 'Any key works, unless you configured keys.'
const OWN_WORLD = 'Each key has a world of its own. The key decides which one answers.'

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

interface ChosenModel {
  model: string
  setModel: (model: string) => void
  names: readonly string[]
  /** Whether the field waits for the first name. */
  isLoading: boolean
}

/** The model that the user chose. Until then, it is the first one. It is in the address. */
function useModel(): ChosenModel {
  const [written, setWritten] = useQuery('model')
  const [isCleared, setCleared] = useState(false)
  const { names, loading } = useModelNames()
  const isOpen = written === '' && !isCleared
  const setModel = (model: string): void => {
    setCleared(model === '')
    setWritten(model)
  }
  return {
    model: isOpen ? (names[0] ?? '') : written,
    setModel,
    names,
    isLoading: loading && isOpen,
  }
}

function waitingText(answer: ChatAnswer | undefined, mode: string | undefined): string {
  if (answer?.status !== undefined) return 'Receiving…'
  if (mode === 'manual') return 'Waiting. If the answer has a delay, advance the clock.'
  return 'Waiting…'
}

/** The base models of the scenario, the trained models, and their served checkpoints, newest first. */
function useModelNames(): { names: readonly string[]; loading: boolean } {
  const { value, error } = useLoaded(async () => {
    const [base, { models }] = await Promise.all([baseModels(), call('GET /models')])
    const trained = models.toReversed().flatMap((model) => {
      const served = model.checkpoints.filter((each) => each.served).toReversed()
      return [fullName(model), ...served.map(({ step }) => `${fullName(model)}:step${step}`)]
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
      <div class="stack">
        {messages.map(({ role, content }, at) => (
          <div key={at} class="message">
            <ChoiceField
              label={`Role of message ${at + 1}`}
              of={ROLES}
              value={role}
              change={(next) => replace(at, { role: next })}
            />
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

/** @throws {FieldError} When a field can't be read. */
function chatBody(values: Values, messages: readonly Message[]): object {
  const {
    model = '',
    tools,
    more,
    ...numbers
  } = bodyOf([MODEL, ...NUMBERS, ...MORE], SCHEMA, values)
  if (model === '') throw new FieldError('model', 'Enter the name of a model.')
  for (const [name, value] of Object.entries(numbers)) {
    if (typeof value === 'string') throw new FieldError(name, `"${value}" is not a number.`)
  }
  const { stream = true, logprobs } = values
  return {
    model,
    messages,
    ...numbers,
    ...((logprobs === true || 'top_logprobs' in numbers) && { logprobs: true }),
    ...(tools !== undefined && { tools }),
    ...(stream === true && { stream, stream_options: { include_usage: true } }),
    ...(typeof more === 'object' && more),
  }
}

interface AnswerProps {
  of: ChatAnswer
  /** Continues the conversation after this answer. */
  goOn: (content: string) => void
}

function Answer({ of: answer, goOn }: AnswerProps): ComponentChildren {
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

function ChoiceView({ of: choice, many }: { of: Choice; many: boolean }): ComponentChildren {
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
          <summary>Log probabilities of {logprobs.length} tokens</summary>
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

/** The request and the answer as they were sent. */
function Sent({
  body,
  answer,
}: {
  body: object
  answer: ChatAnswer | undefined
}): ComponentChildren {
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
