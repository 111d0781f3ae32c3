import type { ComponentChildren } from 'preact'
import { Problem } from './use-action.js'

interface LoadingProps {
  /** `form` */
  what: string
  error: Error | undefined
}

/** In the place of what is not loaded yet: says so, or why it can't be loaded. */
export function Loading({ what, error }: LoadingProps): ComponentChildren {
  return error ? <Problem of={error} /> : <p class="empty">Loading the {what}…</p>
}
