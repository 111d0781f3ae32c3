import { useEffect, useState } from 'preact/hooks'
import type { ScenarioChecked } from '../../emulator/control/schemas/scenario.js'
import { call, onControlToken } from './control.js'
import { atFrame } from './live.js'

/** How long the text must rest before it is checked, in milliseconds. */
const REST = 250

export type TextProblem = ScenarioChecked['problems'][number]

export interface Check {
  /** Whether the text is being checked, or waits for it. */
  busy: boolean
  problems: readonly TextProblem[]
  /** What is valid, and may not be what its author meant. */
  notes: readonly string[]
  /** The error of the check itself: nothing answers, or the control token is missing. */
  error: Error | undefined
}

interface Outcome extends Pick<Check, 'problems' | 'notes'> {
  text: string
  subject: string
  error?: Error
}

/**
 * Checks the text of a scenario whenever it rests, and again when the user saves a control token. The last problems stay while a new text is checked. Without
 * a text, there is nothing to check.
 *
 * @param subject - What the text is about. The problems of another subject do not stay.
 */
export function useCheck(text: string | undefined, subject = ''): Check {
  const [outcome, setOutcome] = useState<Outcome>()
  const [tokens, setTokens] = useState(0)
  useEffect(() => onControlToken(() => setTokens((count) => count + 1)), [])
  useEffect(() => {
    if (text === undefined) return
    let isLatest = true
    const check = async (): Promise<void> => {
      const found = await checked(text)
      if (isLatest) setOutcome({ ...found, subject })
    }
    let cancel = atFrame(-Infinity, (now) => {
      cancel = atFrame(now + REST, () => void check())
    })
    return () => {
      isLatest = false
      cancel()
    }
  }, [text, subject, tokens])
  if (text === undefined) return { busy: false, problems: [], notes: [], error: undefined }
  const { problems = [], notes = [], error } = outcome?.subject === subject ? outcome : {}
  return { busy: outcome?.text !== text, problems, notes, error }
}

async function checked(text: string): Promise<Omit<Outcome, 'subject'>> {
  try {
    const { problems, notes } = await call('POST /scenario/check', { body: { yaml: text } })
    return { text, problems, notes }
  } catch (error) {
    return { text, problems: [], notes: [], error: error as Error }
  }
}
