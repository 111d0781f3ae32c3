import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { useQuery } from '../routes.js'

interface TextFilter<T> {
  /** The rows with the text. */
  found: readonly T[]
  field: ComponentChildren
}

/**
 * A field above a table that leaves the rows with a text, whichever of their values has it. The text is in the
 * address.
 *
 * @param example - What the text can be: `Path, error or effect`.
 */
export function useTextFilter<T extends object>(
  rows: readonly T[],
  example: string,
): TextFilter<T> {
  const [text, setText] = useQuery('search')
  const found = useMemo(() => {
    const searched = text.trim().toLowerCase()
    return searched === '' ? rows : rows.filter((row) => textOf(row).includes(searched))
  }, [rows, text])
  const field = (
    <label>
      <span class="hidden-label">Filter</span>
      <input
        type="search"
        placeholder={example}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </label>
  )
  return { found, field }
}

const texts = new WeakMap<object, string>()

/** All values of a row as one text. A row that changed is a new object. */
function textOf(row: object): string {
  let text = texts.get(row)
  if (text === undefined) texts.set(row, (text = leavesOf(row).join('\n').toLowerCase()))
  return text
}

function leavesOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(leavesOf)
    : [value]
}
