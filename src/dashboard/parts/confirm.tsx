import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { focusOnce } from './focus-once.js'
import { Problem, useAction } from './use-action.js'

interface ConfirmProps {
  /** What the button does: `Delete poet`. */
  label: string
  /** What a screen reader says instead, if `label` is short. */
  name?: string
  /** What is lost. */
  question: string
  /** What the second button says. Default: Yes, and the label. */
  yes?: string
  disabled?: boolean
  act: () => Promise<unknown>
  /** Called after the answer. */
  done?: () => void
}

/** A button that deletes something. It acts after a second click, which says what is lost. */
export function Confirm({
  label,
  name = label,
  question,
  yes = `Yes, ${label.charAt(0).toLowerCase()}${label.slice(1)}`,
  disabled = false,
  act,
  done,
}: ConfirmProps): ComponentChildren {
  const [asking, setAsking] = useState(false)
  const { busy, run, problem } = useAction()
  if (!asking) {
    return (
      <>
        <button
          type="button"
          class="danger"
          disabled={busy || disabled}
          aria-label={name}
          onClick={() => setAsking(true)}
        >
          {label}
        </button>
        <Problem of={problem} />
      </>
    )
  }
  return (
    <span class="problem note line" role="group" aria-label={`${name}?`}>
      <span>{question}</span>
      <button
        type="button"
        class="danger"
        disabled={disabled}
        ref={focusOnce}
        onClick={() => {
          setAsking(false)
          run(act, done)
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
