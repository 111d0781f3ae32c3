import type { ComponentChildren } from 'preact'
import { useQuery } from '../routes.js'
import { matching } from './wording.js'

export interface TextFilterOptions<T> {
  /** What the text can be: `Path, error or effect`. */
  example: string
  /** What a screen reader says. Default: Filter. */
  label?: string
  /** The texts of a row that are searched. */
  textsOf: (row: T) => readonly (string | null | undefined)[]
}

interface TextFilter<T> {
  text: string
  /** The rows with the text. */
  found: T[]
  clear: () => void
  field: ComponentChildren
}

/** A field above a table that leaves the rows with a text. The text is in the address. */
export function useTextFilter<T>(
  rows: readonly T[],
  { example, label = 'Filter', textsOf }: TextFilterOptions<T>,
): TextFilter<T> {
  const [text, setText] = useQuery('search')
  const field = (
    <label>
      <span class="hidden-label">{label}</span>
      <input
        type="search"
        placeholder={example}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </label>
  )
  const found = rows.filter((row) => matching(text, ...textsOf(row)))
  return { text, found, clear: () => setText(''), field }
}
