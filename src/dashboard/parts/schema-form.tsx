import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { fieldKindOf, variantOf, type JsonSchema } from '../data/json-schema.js'
import type { TextProblem } from '../data/use-check.js'
import { Choice } from './choice.js'
import { Description } from './description.js'
import { SchemaControl } from './schema-control.js'
import type { PlainKind } from './schema-text.js'

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
        <p class="faint help">
          <Description text={schema.description} />
        </p>
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
      <p class="faint help">
        <Description text={schema.description} />
      </p>
      <Choice
        label={`Form of ${name}`}
        look="schema-field"
        value={String(index)}
        change={(next) => choose(Number(next))}
        of={[['-1', 'not set'], ...variants.map((each, at) => [String(at), formOf(each)] as const)]}
      />
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

function PlainField(props: FieldProps & { kind: PlainKind }): ComponentChildren {
  const { name, schema, required, kind, place, value, context, onChange } = props
  const id = useId()
  const wrong = problemsAt(place, context, false).length > 0
  const known = [
    ...(kind.kind === 'list' ? kind.values : []),
    ...(context.completions[name] ?? []),
    ...(schema.examples ?? []).filter((each) => typeof each !== 'object').map(String),
  ]
  return (
    <div class="schema-field">
      <label for={id}>
        {name}
        {required && <span class="faint"> (required)</span>}
      </label>
      <SchemaControl
        {...{ schema, kind, value, known, onChange }}
        attributes={{
          id,
          name,
          'aria-describedby': `${id}-help ${id}-wrong`,
          'aria-invalid': wrong,
          'aria-required': required,
        }}
      />
      <p class="faint help" id={`${id}-help`}>
        <Description text={schema.description} />
        {kind.kind === 'list' && ' Separate several with commas.'}
        {kind.kind === 'map' && ' One on each line, such as name: value.'}
      </p>
      <div id={`${id}-wrong`}>
        <Wrong of={props} />
      </div>
    </div>
  )
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
