import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { JsonSchema } from './json-schema.js'
import { placeholderOf, textFor, unsetText, valueIn, type PlainKind } from './schema-text.js'

interface ControlProps {
  schema: JsonSchema
  kind: PlainKind
  value: unknown
  /** Values to complete. */
  known?: readonly string[]
  /** The attributes of the control itself. Without a placeholder (null), a choice has no empty option. */
  attributes: Readonly<Record<string, unknown>> & { id: string; placeholder?: string | null }
  onChange: (value: unknown) => void
}

/** The control that a schema needs: a selection, a line or several lines of text. */
export function Control(props: ControlProps): ComponentChildren {
  const { schema, kind, value, known = [], attributes, onChange } = props
  if (kind.kind === 'choice' || kind.kind === 'boolean') return <Select {...props} />
  const text = { placeholder: placeholderOf(schema, kind), ...attributes, kind, value, onChange }
  if (kind.kind === 'map' || kind.kind === 'json') return <WrittenField rows={3} {...text} />
  const list = known.length === 0 ? undefined : `${attributes.id}-known`
  return (
    <>
      <WrittenField {...text} list={list} />
      {list !== undefined && (
        <datalist id={list}>
          {[...new Set(known)].map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </>
  )
}

function Select({ schema, kind, value, attributes, onChange }: ControlProps): ComponentChildren {
  const values = kind.kind === 'choice' ? kind.values : ['true', 'false']
  const take = (text: string): unknown => {
    if (text === '') return undefined
    return kind.kind === 'boolean' ? text === 'true' : text
  }
  const { placeholder = unsetText(schema), ...others } = attributes
  return (
    <select
      {...others}
      value={optionOf(value)}
      onChange={({ currentTarget }) => onChange(take(currentTarget.value))}
    >
      {placeholder !== null && <option value="">{placeholder}</option>}
      {values.map((each, at) => (
        <option key={each} value={each}>
          {schema.enumNames?.[at] ?? each}
        </option>
      ))}
    </select>
  )
}

/** The option that stands for a value. The empty one: no value. */
function optionOf(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

interface WrittenFieldProps {
  kind: PlainKind
  value: unknown
  onChange: (value: unknown) => void
  /** Set for a field of several lines. */
  rows?: number
  [attribute: string]: unknown
}

/** A field whose text is read as a value. The text stays as it was written while it means the value. */
function WrittenField(props: WrittenFieldProps): ComponentChildren {
  const { kind, value, onChange, rows, ...attributes } = props
  const [written, setWritten] = useState('')
  const same = JSON.stringify(valueIn(written, kind)) === JSON.stringify(value)
  const text = same ? written : textFor(value, kind)
  const read = (next: string): void => {
    setWritten(next)
    onChange(valueIn(next, kind))
  }
  const common = { class: 'mono', ...attributes, value: text, spellcheck: false }
  if (rows !== undefined) {
    return (
      <textarea
        {...common}
        rows={rows}
        onInput={({ currentTarget }) => read(currentTarget.value)}
      />
    )
  }
  return (
    <input
      type="text"
      {...common}
      inputMode={kind.kind === 'number' ? 'decimal' : 'text'}
      autocomplete="off"
      onInput={({ currentTarget }) => read(currentTarget.value)}
    />
  )
}
