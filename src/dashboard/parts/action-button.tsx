import type { ComponentChildren } from 'preact'
import { Problem, useAction } from './use-action.js'

interface ActionButtonProps {
  /** What a screen reader says. Default: the content. */
  'aria-label'?: string | undefined
  /** Why it is disabled, or what it does. */
  title?: string | undefined
  class?: 'plain' | 'danger'
  disabled?: boolean
  act: () => Promise<unknown>
  /** Called after the answer. */
  done?: () => void
  children: ComponentChildren
}

/** A button that makes a call. It is disabled until the answer arrives. An error is beside it. */
export function ActionButton(props: ActionButtonProps): ComponentChildren {
  const { disabled = false, act, done, children, ...attributes } = props
  const { busy, run, problem, dismiss } = useAction()
  return (
    <>
      <button
        type="button"
        {...attributes}
        disabled={busy || disabled}
        onClick={() => run(act, done)}
      >
        {children}
      </button>
      <Problem of={problem} dismiss={dismiss} />
    </>
  )
}
