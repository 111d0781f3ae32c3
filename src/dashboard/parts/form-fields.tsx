import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { fieldKindOf, placesIn, schemaAt, type JsonSchema } from '../data/json-schema.js'
import { Toggle } from './choice.js'
import { Description } from './description.js'
import { Field, jsonField, type FieldAttributes } from './field.js'
import { focusOnce } from './focus-once.js'
import { SchemaControl } from './schema-control.js'
import type { PlainKind } from './schema-text.js'

/** What a form says about a field beside its schema. */
export interface FormField {
  /** Where the value is in the body of the call: `signature.header`. */
  place: string
  label: string
  /** Default: the description of the schema. Null: none. */
  hint?: ComponentChildren
  /** Shown while the field is empty. Default: what the schema says. */
  example?: string
  wide?: boolean | 'twice'
  type?: 'password'
  /** Whether white space at the ends belongs to the value. */
  exact?: boolean
  /** Values to complete. */
  known?: readonly string[]
  /** How many lines the field has. */
  rows?: number
  /** How many characters wide the field is in a line. */
  size?: number
  /** Whether the value is a sentence, and not code. */
  prose?: boolean
  /** Whether the user can't change the value. */
  fixed?: boolean
  /** Whether the field is out of use. */
  disabled?: boolean
  /** Whether the field has the focus when the form appears. */
  focus?: boolean
}

/** The values of a form, by place. A field without a value is not there. */
export type FormValues = Readonly<Record<string, unknown>>

export interface FormShape {
  schema: JsonSchema
  /** The fields in their order. */
  fields: readonly FormField[]
  /** The title of a part that has all other fields of the schema. Default: they are left out. */
  others?: string
}

interface FormFieldsProps {
  /** The schema of the body. */
  schema: JsonSchema
  fields: readonly FormField[]
  values: FormValues
  /** What is wrong with the values, by place. */
  problems?: Readonly<Record<string, string>>
  change: (place: string, value: unknown) => void
}

/** Fields with labels and notes, made from the schema of the body. */
export function FormFields(props: FormFieldsProps): ComponentChildren {
  const { schema, fields, values, problems = {}, change } = props
  return fields.map((field) => (
    <FormControl
      key={field.place}
      field={field}
      {...ruleOf(field, schema)}
      value={valueOf(field, schema, values)}
      problem={problems[field.place]}
      onChange={(value) => change(field.place, value)}
    />
  ))
}

/** The same fields in a line of text: examples take the place of labels and notes. */
export function LineFields({ schema, fields, values, change }: FormFieldsProps): ComponentChildren {
  const id = useId()
  return fields.map((field) => (
    <label key={field.place}>
      <span class="hidden-label">{field.label}</span>
      <PlainControl
        field={field}
        {...ruleOf(field, schema)}
        value={valueOf(field, schema, values)}
        onChange={(value) => change(field.place, value)}
        attributes={{ id: `${id}-${field.place}`, rows: undefined }}
      />
    </label>
  ))
}

/** What the schema says about a field. */
interface FieldRule {
  schema: JsonSchema
  required: boolean
  /** Whether the field begins with its first word: it is required, and nothing stands for no word. */
  isChosen: boolean
}

function ruleOf({ place, example }: FormField, body: JsonSchema): FieldRule {
  const schema = schemaAt(body, place)
  const required = body.required?.includes(place) ?? false
  return { schema, required, isChosen: required && schema.enum !== undefined && !example }
}

function valueOf(field: FormField, body: JsonSchema, values: FormValues): unknown {
  const { schema, isChosen } = ruleOf(field, body)
  return values[field.place] ?? (isChosen ? schema.enum?.[0] : undefined)
}

interface ControlProps extends FieldRule {
  field: FormField
  value: unknown
  onChange: (value: unknown) => void
}

interface FormControlProps extends ControlProps {
  problem: string | undefined
}

function FormControl(props: FormControlProps): ComponentChildren {
  const { field, schema, value, problem, onChange } = props
  const { label, hint, wide } = field
  const kind = plainKindOf(schema)
  if (kind.kind === 'boolean' && typeof schema.default === 'boolean') {
    return (
      <div class="line">
        <Toggle
          title={schema.description}
          checked={value === undefined ? schema.default : value === true}
          change={onChange}
        >
          {label}
        </Toggle>
        {problem !== undefined && <p class="bad">{problem}</p>}
      </div>
    )
  }
  if (kind.kind === 'list' && kind.values.length > 0) {
    return <CheckList {...props} values={kind.values} />
  }
  return (
    <Field
      label={label}
      hint={hint === undefined ? described(schema) : (hint ?? undefined)}
      wide={wide ?? kind.kind === 'json'}
      problem={problem}
    >
      {(attributes) => <PlainControl {...props} attributes={attributes} />}
    </Field>
  )
}

interface PlainControlProps extends ControlProps {
  attributes: Partial<FieldAttributes> & { id: string; rows?: undefined }
}

function PlainControl(props: PlainControlProps): ComponentChildren {
  const { field, schema, required, isChosen, value, onChange, attributes } = props
  const { example, type, rows, size, prose, known = [], fixed, disabled, focus } = field
  const kind = plainKindOf(schema)
  const unset = isChosen ? null : example
  return (
    <SchemaControl
      {...{ schema, kind, value, known, onChange }}
      attributes={{
        ...attributes,
        ...(unset !== undefined && { placeholder: unset }),
        ...(kind.kind === 'text' && type && { type }),
        ...(schema.type === 'integer' && { type: 'number', min: schema.minimum }),
        ...(rows !== undefined && { rows }),
        ...(size !== undefined && { size }),
        ...(prose && { class: undefined }),
        ...(fixed && { readOnly: true }),
        ...(disabled && { disabled }),
        ...(focus && { ref: focusOnce }),
        required,
      }}
    />
  )
}

function described({ description }: JsonSchema): ComponentChildren {
  return description === undefined ? undefined : <Description text={description} />
}

/** A value that is a list of some of a few words. */
function CheckList(props: FormControlProps & { values: readonly string[] }): ComponentChildren {
  const { field, schema, values, value = schema.default, problem, onChange } = props
  const chosen = Array.isArray(value) ? value.map(String) : []
  const toggle = (each: string): void =>
    onChange(values.filter((other) => chosen.includes(other) !== (other === each)))
  return (
    <fieldset>
      <legend>{field.label}</legend>
      <div class="line">
        {values.map((each) => (
          <Toggle key={each} checked={chosen.includes(each)} change={() => toggle(each)}>
            {each}
          </Toggle>
        ))}
      </div>
      {problem !== undefined && <p class="bad">{problem}</p>}
    </fieldset>
  )
}

/** A value of several forms or with keys of its own is written as JSON. */
function plainKindOf(schema: JsonSchema): PlainKind {
  const kind = fieldKindOf(schema)
  return kind.kind === 'object' || kind.kind === 'union' || kind.kind === 'map'
    ? { kind: 'json' }
    : kind
}

/**
 * The body that the fields make.
 *
 * @throws {FieldError} When a text is not JSON of the kind that the field needs.
 */
export function bodyOf(
  fields: readonly FormField[],
  schema: JsonSchema,
  values: FormValues,
): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const field of fields) {
    const value = valueOf(field, schema, values)
    if (value === undefined) continue
    const names = field.place.split('.')
    const last = names.pop()!
    const at = names.reduce<Record<string, unknown>>((outer, name) => {
      return (outer[name] ??= {}) as Record<string, unknown>
    }, body)
    at[last] = field.exact ? value : readValue(value, field.place, schemaAt(schema, field.place))
  }
  return body
}

function readValue(value: unknown, place: string, schema: JsonSchema): unknown {
  if (typeof value !== 'string') return value
  if (plainKindOf(schema).kind !== 'json') return value.trim()
  return jsonField(value, place, schema.type === 'array' ? 'list' : 'object')
}

/** The fields of a schema that have no text of their own. */
export function otherFields(schema: JsonSchema, fields: readonly FormField[]): FormField[] {
  const places = placesIn(schema).filter((each) => schemaAt(schema, each).const === undefined)
  return places
    .filter((each) => fields.every(({ place }) => place !== each))
    .map((place) => ({ place, label: place }))
}

/** What a form begins with, to change an object. What is empty in the object has no value. */
export function valuesOf(object: object, schema: JsonSchema): FormValues {
  const entries = placesIn(schema).map((place) => {
    const value = place
      .split('.')
      .reduce<unknown>((part, name) => (part as Record<string, unknown> | null)?.[name], object)
    return [place, value] as const
  })
  return Object.fromEntries(entries.filter(([, value]) => !isEmpty(value)))
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

/** A schema whose fields offer these values. */
export function offering(
  schema: JsonSchema,
  choices: Readonly<Record<string, readonly string[]>>,
): JsonSchema {
  const offered = Object.entries(choices).map(([name, values]) => {
    return [name, { ...schema.properties?.[name], type: 'string', enum: values }] as const
  })
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(offered) } }
}
