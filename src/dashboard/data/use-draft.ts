import { useCallback, useState } from 'preact/hooks'
import { parsed } from '../parts/json-text.js'
import { remember, remembered } from './storage.js'

/** The text of a scenario that the user changed and did not use yet. */
export interface Draft {
  text: string
  /** The name of the scenario that it was made from. */
  from: string
}

const KEY = 'svtrain-scenario-draft'

/** The user's draft. It survives a reload and a visit of other pages, until the tab is closed. */
export function useDraft(): [Draft | undefined, (draft: Draft | undefined) => void] {
  const [draft, setDraft] = useState(saved)
  const keep = useCallback((next: Draft | undefined) => {
    setDraft(next)
    remember('sessionStorage', KEY, next && JSON.stringify(next))
  }, [])
  return [draft, keep]
}

function saved(): Draft | undefined {
  const { text, from } = Object(parsed(remembered('sessionStorage', KEY))) as Partial<Draft>
  return typeof text === 'string' && typeof from === 'string' ? { text, from } : undefined
}
