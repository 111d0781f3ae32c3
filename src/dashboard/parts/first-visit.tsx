import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { remember, remembered } from '../data/storage.js'
import { linkTo } from './link.js'

/** Where the browser remembers that the user has read it. */
const VISITED = 'svtrain-visited'

/** What to look at first, until the user has read it once. */
export function FirstVisit(): ComponentChildren {
  const [isFirst, setFirst] = useState(() => remembered('localStorage', VISITED) === null)
  if (!isFirst) return null
  const close = (): void => {
    remember('localStorage', VISITED, 'before')
    setFirst(false)
  }
  return (
    <aside class="first-visit note line" aria-label="What to look at">
      <ul>
        <li>
          {linkTo({ page: 'jobs' }, 'Jobs')}: each job with its curves, events and checkpoints, as
          it trains.
        </li>
        <li>
          {linkTo({ page: 'requests' }, 'Requests')}: each call of your client, and what was wrong
          with it.
        </li>
        <li>
          {linkTo({ page: 'timeline' }, 'Timeline')}: what caused what, up to the last webhook.
        </li>
        <li>
          {linkTo({ page: 'faults' }, 'Faults')} and {linkTo({ page: 'scenario' }, 'Scenario')}:
          decide what happens next.
        </li>
      </ul>
      <button onClick={close}>Got it</button>
    </aside>
  )
}
