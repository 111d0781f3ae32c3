import type { ComponentChildren } from 'preact'
import { call } from '../data/control.js'
import { useLive, useLiveStore } from '../data/use-live.js'
import { ActionButton } from './action-button.js'

/** Why the clock cannot be moved now. Undefined if it can. */
export function useWhyNot(): string | undefined {
  const mode = useLive(({ clock }) => clock?.mode)
  return mode === 'real' ? 'Time passes by itself. Pause the clock to move it by hand.' : undefined
}

interface AdvanceToProps {
  /** A moment in ISO 8601. */
  at: string
  /** What is there, for screen readers. */
  label?: string
}

/** Moves the clock to a moment. Everything that is due before it happens as well. */
export function AdvanceTo({ at, label }: AdvanceToProps): ComponentChildren {
  const live = useLiveStore()
  const whyNot = useWhyNot()
  return (
    <ActionButton
      aria-label={label === undefined ? undefined : `Advance to here: ${label}`}
      disabled={whyNot !== undefined}
      title={whyNot}
      act={async () => live.setClock(await call('POST /clock/advance', { body: { to: at } }))}
    >
      Advance<span class="not-narrow"> to here</span>
    </ActionButton>
  )
}
