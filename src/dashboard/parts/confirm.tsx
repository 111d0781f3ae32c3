import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { focusOnce } from './focus-once.js'

interface ConfirmProps {
  /** What the button does: `Delete poet`. */
  label: string
  /** What a screen reader says instead, if `label` is short. */
  name?: string
  /** What is lost. */
  question: string
  /** What the second button says. Default: Yes, and the label. */
  yes?: string
  busy: boolean
  act: () => void
}

/** A button that deletes something. It acts after a second click, which says what is lost. */
export function Confirm({
  label,
  name = label,
  question,
  yes = `Yes, ${label.charAt(0).toLowerCase()}${label.slice(1)}`,
  busy,
  act,
}: ConfirmProps): ComponentChildren {
  const [asking, setAsking] = useState(false)
  if (!asking) {
    return (
      <button
        type="button"
        class="danger"
        disabled={busy}
        aria-label={name}
        onClick={() => setAsking(true)}
      >
        {label}
      </button>
    )
  }
  return (
    <span class="line confirm" role="group" aria-label={`${name}?`}>
      <span>{question}</span>
      <button
        type="button"
        class="danger"
        disabled={busy}
        ref={focusOnce}
        onClick={() => {
          setAsking(false)
          act()
        }}
      >
        {yes}
      </button>
      <button type="button" onClick={() => setAsking(false)}>
        Cancel
      </button>
    </span>
  )
}
