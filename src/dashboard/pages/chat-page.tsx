import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { sendChat, type ChatAnswer } from '../data/chat.js'
import type { JsonSchema } from '../kit/json-schema.js'
import { useChatModel } from '../data/use-chat-model.js'
import { useLive } from '../data/use-live.js'
import { ChatAnswerView, SentAndReceived } from '../parts/chat-answer-view.js'
import { Messages, type Message } from '../parts/chat-messages.js'
import { Page } from '../parts/page.js'
import { bodyOf, FieldError, type FormField, type Values } from '../kit/field-values.js'
import { Fields } from '../kit/fields.js'
import { refusedAt } from '../kit/refused-fields.js'
import { chatSnippets, LOCAL_KEY, Snippets } from '../parts/snippets.js'
import { Problem, useAction } from '../parts/use-action.js'

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
  const [apiKey, setApiKey] = useState<string>(LOCAL_KEY)
  const { answer, body, send, stop } = useChat(apiKey)
  const goOn = (content: string): void =>
    setMessages([...messages, { role: 'assistant', content }, { role: 'user', content: '' }])
  return (
    <Page title="Chat">
      <ChatForm {...{ messages, setMessages, apiKey, setApiKey, answer, send, stop }} />
      {answer && <ChatAnswerView of={answer} goOn={goOn} />}
      {body && <SentAndReceived body={body} answer={answer} />}
      {body && (
        <section aria-label="As code">
          <h2>As code</h2>
          <Snippets of={chatSnippets(body, apiKey)} />
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
  setApiKey: (apiKey: string) => void
}

function ChatForm(props: ChatFormProps): ComponentChildren {
  const { messages, setMessages, apiKey, setApiKey, answer, send, stop } = props
  const isolate = useLive((live) => live.info?.isolate)
  const mode = useLive((live) => live.clock?.mode)
  const { model, setModel, names, isLoading } = useChatModel()
  const [options, setOptions] = useState<Values>({})
  const { busy, run, problem } = useAction()
  const problems = refusedAt(problem, [MODEL, ...NUMBERS, ...MORE, KEY])
  const values: Values = { ...options, model, key: apiKey }
  const change = ({ model: named, key, ...others }: Values): void => {
    if (named !== model) setModel(textOf(named))
    setApiKey(textOf(key).trim())
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

function waitingText(answer: ChatAnswer | undefined, mode: string | undefined): string {
  if (answer?.status !== undefined) return 'Receiving…'
  if (mode === 'manual') return 'Waiting. If the answer has a delay, advance the clock.'
  return 'Waiting…'
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
