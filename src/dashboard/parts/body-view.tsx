import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { RequestDetail } from '../../emulator/control/schemas/requests.js'
import { isStream, readStream } from '../data/chat-answer.js'
import { Choices } from './choice.js'
import { CopyButton } from './copy-button.js'
import { beginningOf, prettyJson } from './json-text.js'
import { counted } from './amounts.js'

type Message = RequestDetail['request']

/** What is shown before the user asks for all of it. */
const MOST_LINES = 40
const MOST_CHARACTERS = 6000

interface BodyViewProps {
  of: Message
  /** Whose body it is. The emulator counts the bytes of requests, and the characters of responses. */
  what: 'request' | 'response'
}

/** A body: readable, and as it was sent. A long one is folded. */
export function BodyView({ of: message, what }: BodyViewProps): ComponentChildren {
  const { body, state } = message
  const [chosen, setChosen] = useState<View['name']>()
  const size = counted(message.size, what === 'request' ? 'byte' : 'character')
  if (body === null) {
    return (
      <p class="faint">
        {state === 'dropped'
          ? `A body of ${size}. It is no longer kept: the journal keeps the latest 16 MB.`
          : 'No body.'}
      </p>
    )
  }
  const views = viewsOf(message, body)
  const { name, text } = views.find((each) => each.name === chosen) ?? views[0]!
  return (
    <div class="stack">
      <div class="line">
        <h3>Body</h3>
        <span class="faint">
          {size}
          {state === 'cut' && `, only the first ${counted(body.length, 'character')} are kept`}
        </span>
        {views.length > 1 && (
          <Choices
            label={`View of the ${what} body`}
            of={views.map((each) => each.name)}
            chosen={name}
            choose={setChosen}
          />
        )}
        <CopyButton text={name === 'Pretty' ? text : body} what={`the ${what} body`} />
      </div>
      <Folded key={name} text={text} label={`${what} body`} />
    </div>
  )
}

interface View {
  name: 'Text' | 'Events' | 'Pretty' | 'Raw'
  text: string
}

/** The ways to show a body, the most readable one first. */
function viewsOf(message: Message, body: string): View[] {
  const raw: View = { name: 'Raw', text: body }
  if (isStream(message)) {
    const { events, choices } = readStream(body)
    const listed = events.map((data, at) => `${at + 1}  ${data}`).join('\n')
    const written = choices.find(({ index }) => index === 0)?.content
    const views: View[] = [{ name: 'Events', text: listed }, raw]
    return written ? [{ name: 'Text', text: written }, ...views] : views
  }
  const pretty = prettyJson(body, message.state === 'cut')
  return pretty === undefined ? [raw] : [{ name: 'Pretty', text: pretty }, raw]
}

/** How a streamed answer ended. Nothing if it is no longer kept. */
export function StreamEnd({ of: { body, state } }: { of: Message }): ComponentChildren {
  if (state === 'dropped') return null
  const { events, choices, done } = readStream(body ?? '')
  const reason = choices.find(({ index }) => index === 0)?.finishReason
  const cut = state === 'cut' ? 'There were more: only the beginning is kept.' : 'It has no [DONE].'
  return (
    <p>
      A stream of {counted(events.length, 'event')}. {done ? 'It is complete.' : cut}
      {reason !== undefined && (done || state !== 'cut') && ` Finish reason: ${reason}.`}
    </p>
  )
}

/** A text. Of a long one, the beginning is shown at first. */
function Folded({ text, label }: { text: string; label: string }): ComponentChildren {
  const [open, setOpen] = useState(false)
  const lines = text.split('\n')
  const short = beginningOf(lines.slice(0, MOST_LINES).join('\n'), MOST_CHARACTERS)
  const isLong = short.length < text.length
  return (
    <>
      <pre tabIndex={0} role="region" aria-label={label}>
        {open ? text : short}
        {isLong && !open && '…'}
      </pre>
      {isLong && (
        <button aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Show the beginning' : `Show all of ${sizeOf(text, lines.length)}`}
        </button>
      )}
    </>
  )
}

function sizeOf(text: string, lines: number): string {
  return lines > MOST_LINES ? counted(lines, 'line') : counted(text.length, 'character')
}
