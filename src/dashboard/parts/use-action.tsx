import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { ControlError, keepControlToken, onControlToken } from '../data/control.js'

export interface Action {
  busy: boolean
  /** Runs an action, unless another one is running, and then `done`. */
  run: (act: () => Promise<unknown>, done?: () => void) => void
  /** The error of the last action. */
  problem: Error | undefined
  /** Forgets the error. */
  dismiss: () => void
}

export function useAction(): Action {
  const [state, setState] = useState<{ busy: boolean; problem?: Error }>({ busy: false })
  const run: Action['run'] = (act, done) => {
    if (state.busy) return
    setState({ busy: true })
    const finished = async (): Promise<void> => {
      await act()
      done?.()
    }
    finished().then(
      () => setState({ busy: false }),
      (problem: unknown) => setState({ busy: false, problem: problem as Error }),
    )
  }
  return { busy: state.busy, run, problem: state.problem, dismiss: () => setState({ busy: false }) }
}

/** Shows an error, with a field for the control token if it is missing. */
export function Problem({
  of: problem,
  dismiss,
}: {
  of: Error | undefined
  /** If it is there, the user can close the message. */
  dismiss?: () => void
}): ComponentChildren {
  if (!problem) return null
  return (
    <div class="problem note" role="alert">
      <p>{problem.message}</p>
      {problem instanceof ControlError && problem.status === 401 && <TokenField />}
      {dismiss && <button onClick={dismiss}>Dismiss</button>}
    </div>
  )
}

/** A field for the token. If the page has several of them, it is enough to fill in one. */
function TokenField(): ComponentChildren {
  const [saved, setSaved] = useState(false)
  // An ordinary effect runs after a frame. It would miss a token that is saved before it.
  useLayoutEffect(() => onControlToken(() => setSaved(true)), [])
  if (saved) return <p>Saved for this tab. Try again.</p>
  return (
    <form
      class="line"
      onSubmit={(event) => {
        event.preventDefault()
        keepControlToken(fieldText(event.currentTarget, 'token'))
      }}
    >
      <label>
        Control token <input name="token" type="password" autocomplete="off" required />
      </label>
      <button>Save</button>
    </form>
  )
}

/** The trimmed value of a form's text field. */
export function fieldText(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name)
  return typeof value === 'string' ? value.trim() : ''
}
