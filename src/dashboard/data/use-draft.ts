import { useCallback, useState } from 'preact/hooks'

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
    try {
      if (next) sessionStorage.setItem(KEY, JSON.stringify(next))
      else sessionStorage.removeItem(KEY)
    } catch {
      // A browser may refuse to store anything, or so much. The draft stays on the page.
    }
  }, [])
  return [draft, keep]
}

function saved(): Draft | undefined {
  try {
    const { text, from } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Partial<Draft>
    return typeof text === 'string' && typeof from === 'string' ? { text, from } : undefined
  } catch {
    return undefined
  }
}
