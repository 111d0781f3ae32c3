import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { fieldKindOf, variantOf, type FieldKind, type JsonSchema } from '../data/json-schema.js'
import type { TextProblem } from '../data/use-check.js'

export interface FormContext {
  /** What is wrong, with places in the value of the form: `match.host`. */
  problems: readonly TextProblem[]
  /** Values to complete, by the name of the field, besides the examples of the schema. */
  completions: Readonly<Record<string, readonly string[]>>
}

interface FieldProps {
  name: string
  /** The path of the field in the value of the form. */
  place: string
  schema: JsonSchema
  value: unknown
  required: boolean
  context: FormContext
  onChange: (value: unknown) => void
}

interface FieldsProps {
  fields: Readonly<Record<string, JsonSchema>>
  required: readonly string[]
  /** The path of the object, or an empty text. */
  place: string
  value: Readonly<Record<string, unknown>>
  context: FormContext
  onChange: (value: Readonly<Record<string, unknown>>) => void
}

/** The fields of an object, made from its schema. A field without a value is not in the object. */
export function SchemaFields(props: FieldsProps): ComponentChildren {
  const { fields, required, place, value, context, onChange } = props
  const change = (name: string, part: unknown): void => {
    const { [name]: _before, ...rest } = value
    onChange(part === undefined ? rest : { ...rest, [name]: part })
  }
  return Object.entries(fields).map(([name, schema]) => (
    <SchemaField
      key={name}
      name={name}
      place={place === '' ? name : `${place}.${name}`}
      schema={schema}
      value={value[name]}
      required={required.includes(name)}
      context={context}
      onChange={(part) => change(name, part)}
    />
  ))
}

/** A field, made from its schema. */
export function SchemaField(props: FieldProps): ComponentChildren {
  const { name, schema, value, place, required, context, onChange } = props
  const kind = fieldKindOf(schema)
  if (kind.kind === 'object') {
    const change = (next: object): void => {
      onChange(Object.keys(next).length === 0 && !required ? undefined : next)
    }
    return (
      <fieldset class="schema-fields">
        <legend>{name}</legend>
        <p class="faint help">{schema.description}</p>
        <Wrong of={props} own />
        <SchemaFields
          fields={kind.fields}
          required={kind.required}
          place={place}
          value={recordOf(value)}
          context={context}
          onChange={change}
        />
      </fieldset>
    )
  }
  if (kind.kind === 'union') return <UnionField {...props} variants={kind.variants} />
  return <PlainField {...props} kind={kind} />
}

/** A value that can have several forms: the user selects the form, and fills it in. */
function UnionField({
  variants,
  ...props
}: FieldProps & { variants: readonly JsonSchema[] }): ComponentChildren {
  const { name, schema, value, required, onChange } = props
  const [chosen, setChosen] = useState(-1)
  const fitting = variantOf(variants, value)
  // An object without keys fits every form, so what the user chose counts.
  const index = chosen >= 0 && (value === undefined || isEmpty(value)) ? chosen : fitting
  const variant = variants[index]
  const choose = (next: number): void => {
    setChosen(next)
    onChange(undefined)
  }
  return (
    <fieldset class="schema-fields">
      <legend>
        {name}
        {required && <span class="faint"> (required)</span>}
      </legend>
      <p class="faint help">{schema.description}</p>
      <label class="schema-field">
        <span>Form of {name}</span>
        <select
          value={String(index)}
          onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
        >
          <option value="-1">not set</option>
          {variants.map((each, at) => (
            <option key={at} value={String(at)}>
              {formOf(each)}
            </option>
          ))}
        </select>
      </label>
      <Wrong of={props} own={variant !== undefined} />
      {variant && <Variant {...props} schema={variant} />}
    </fieldset>
  )
}

function Variant(props: FieldProps): ComponentChildren {
  const { schema, value, place, context, onChange, name } = props
  const kind = fieldKindOf(schema)
  if (kind.kind === 'object') {
    return (
      <SchemaFields
        fields={kind.fields}
        required={kind.required}
        place={place}
        value={recordOf(value)}
        context={context}
        onChange={onChange}
      />
    )
  }
  const plain = kind.kind === 'union' ? ({ kind: 'json' } as const) : kind
  return <PlainField {...props} name={`${name}: value`} kind={plain} />
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** What a form of a value is called: the keys of an object, or its type. */
function formOf({ type, title, properties, items }: JsonSchema): string {
  if (properties) return Object.keys(properties).join(', ')
  if (type === 'array') return items?.type === 'integer' ? 'list of numbers' : 'list'
  if (title !== undefined) return title.toLowerCase()
  return type === 'integer' ? 'number' : (type ?? 'any value')
}

type PlainKind = Exclude<FieldKind, { kind: 'object' | 'union' }>

function PlainField(props: FieldProps & { kind: PlainKind }): ComponentChildren {
  const { name, schema, required, kind, place, context } = props
  const id = useId()
  const wrong = problemsAt(place, context, false).length > 0
  return (
    <div class="schema-field">
      <label for={id}>
        {name}
        {required && <span class="faint"> (required)</span>}
      </label>
      <Control {...props} id={id} wrong={wrong} />
      <p class="faint help" id={`${id}-help`}>
        {schema.description}
        {kind.kind === 'list' && ' Separate several with commas.'}
        {kind.kind === 'map' && ' One on each line, such as name: value.'}
      </p>
      <div id={`${id}-wrong`}>
        <Wrong of={props} />
      </div>
    </div>
  )
}

interface ControlProps extends FieldProps {
  kind: PlainKind
  id: string
  wrong: boolean
}

function Control(props: ControlProps): ComponentChildren {
  const { name, schema, kind, id, wrong, value, onChange, required, context } = props
  const described = {
    id,
    name,
    'aria-describedby': `${id}-help ${id}-wrong`,
    'aria-invalid': wrong,
    'aria-required': required,
  }
  if (kind.kind === 'choice' || kind.kind === 'boolean') {
    const values = kind.kind === 'boolean' ? ['true', 'false'] : kind.values
    const take = (text: string): unknown => {
      if (text === '') return undefined
      return kind.kind === 'boolean' ? text === 'true' : text
    }
    return (
      <select
        {...described}
        value={value === undefined ? '' : plainJson(value)}
        onChange={({ currentTarget }) => onChange(take(currentTarget.value))}
      >
        <option value="">{unsetText(schema)}</option>
        {values.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    )
  }
  const text = { ...described, kind, value, onChange, placeholder: placeholderOf(schema, kind) }
  if (kind.kind === 'map' || kind.kind === 'json') return <WrittenField {...text} rows={3} />
  const known = [
    ...(kind.kind === 'list' ? kind.values : []),
    ...(context.completions[name] ?? []),
    ...(schema.examples ?? []).filter((each) => typeof each !== 'object').map(String),
  ]
  const list = known.length === 0 ? undefined : `${id}-known`
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

interface WrittenFieldProps {
  kind: PlainKind
  value: unknown
  onChange: (value: unknown) => void
  /** Set for a field of several lines. */
  rows?: number
  [attribute: string]: unknown
}

/** A field whose text is read as a value. The text stays as it was written while it means the value. */
function WrittenField({
  kind,
  value,
  onChange,
  rows,
  ...attributes
}: WrittenFieldProps): ComponentChildren {
  const [written, setWritten] = useState('')
  const same = JSON.stringify(valueIn(written, kind)) === JSON.stringify(value)
  const text = same ? written : textFor(value, kind)
  const read = (next: string): void => {
    setWritten(next)
    onChange(valueIn(next, kind))
  }
  const common = { ...attributes, class: 'mono', value: text, spellcheck: false }
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
      {...common}
      type="text"
      inputMode={kind.kind === 'number' ? 'decimal' : 'text'}
      autocomplete="off"
      onInput={({ currentTarget }) => read(currentTarget.value)}
    />
  )
}

/** Reads what a user wrote. What cannot be read stays a text, and the check says what is wrong. */
function valueIn(text: string, kind: PlainKind): unknown {
  if (text.trim() === '') return undefined
  switch (kind.kind) {
    case 'number':
      return numberIn(text)
    case 'list': {
      const parts = text.split(',').flatMap((part) => part.trim() || [])
      const values = kind.of === 'number' ? parts.map(numberIn) : parts
      return values.length === 1 && kind.single ? values[0] : values
    }
    case 'map': {
      const lines = text.split('\n').filter((line) => line.trim() !== '')
      return Object.fromEntries(lines.map(pairIn))
    }
    case 'json':
      return jsonIn(text)
    case 'text':
    case 'choice':
    case 'boolean':
      return text
  }
}

function numberIn(text: string): number | string {
  const number = Number(text)
  return text.trim() !== '' && Number.isFinite(number) ? number : text.trim()
}

function pairIn(line: string): [string, unknown] {
  const [name = '', ...rest] = line.split(':')
  return [name.trim(), jsonIn(rest.join(':').trim())]
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** The text that `valueIn` reads as the value. */
function textFor(value: unknown, kind: PlainKind): string {
  if (value === undefined) return ''
  if (kind.kind === 'map' && typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([name, part]) => `${name}: ${plainJson(part)}`)
      .join('\n')
  }
  if (kind.kind === 'list' && Array.isArray(value)) return value.map(String).join(', ')
  return plainJson(value)
}

/** A text is itself unless it would be read as something else. */
function plainJson(value: unknown): string {
  const json = JSON.stringify(value)
  return typeof value === 'string' && typeof jsonIn(value) === 'string' ? value : json
}

function unsetText({ default: usual }: JsonSchema): string {
  return usual === undefined ? 'not set' : `default: ${JSON.stringify(usual).replaceAll('"', '')}`
}

function placeholderOf(schema: JsonSchema, kind: PlainKind): string {
  if (schema.default !== undefined) return unsetText(schema)
  const [example] = schema.examples ?? []
  return example === undefined ? '' : `such as ${textFor(example, kind)}`
}

/** The problems of a field. */
function problemsAt(
  place: string,
  { problems }: FormContext,
  own: boolean,
): readonly TextProblem[] {
  return problems.filter((problem) => {
    if (problem.place === place) return true
    return (
      !own && /^[.[]/.test(problem.place.slice(place.length)) && problem.place.startsWith(place)
    )
  })
}

/** Says what is wrong with a field, and offers the nearest right value. */
function Wrong({ of, own = false }: { of: FieldProps; own?: boolean }): ComponentChildren {
  const { place, context, onChange } = of
  return problemsAt(place, context, own).map(({ message, nearest, place: at }) => (
    <p key={message} class="bad wrong">
      {message}
      {nearest !== null && at === place && (
        <>
          {' '}
          <button type="button" onClick={() => onChange(nearest)}>
            Use {nearest}
          </button>
        </>
      )}
    </p>
  ))
}
