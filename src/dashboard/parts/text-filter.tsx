import type { ComponentChildren } from 'preact'

interface TextFilterProps {
  /** What the text can be: `Path, error or effect`. */
  example: string
  text: string
  change: (text: string) => void
}

/** A field above a table that leaves the rows with a text. */
export function TextFilter({ example, text, change }: TextFilterProps): ComponentChildren {
  return (
    <label>
      <span class="hidden-label">Filter</span>
      <input
        type="search"
        placeholder={example}
        value={text}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    </label>
  )
}
