import type { ComponentChildren } from 'preact'
import { Choice } from './choice.js'

const ROLES = ['system', 'user', 'assistant'] as const

export interface Message {
  role: (typeof ROLES)[number]
  content: string
}

interface MessagesProps {
  of: readonly Message[]
  change: (messages: readonly Message[]) => void
}

/** The messages of a chat, which the user writes. */
export function Messages({ of: messages, change }: MessagesProps): ComponentChildren {
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
            <Choice
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
