import type { ComponentChildren } from 'preact'
import { figure } from './amounts.js'

interface MayBeMoreProps {
  /** What was loaded. */
  of: readonly unknown[] | undefined
  /** The most that are loaded, the latest ones. */
  most: number
}

/** Says that a list may not be all. */
export function MayBeMore({ of: rows = [], most }: MayBeMoreProps): ComponentChildren {
  if (rows.length < most) return null
  return <p class="faint">The latest {figure(most)}. There may be more.</p>
}
