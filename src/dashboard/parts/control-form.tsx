import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { fieldKindOf, placesIn, schemaAt, type JsonSchema } from '../data/json-schema.js'
import { Toggle } from './choice.js'
import { Description } from './description.js'
import { Field, jsonField, placed } from './field.js'
import { focusOnce } from './focus-once.js'
import { SchemaControl } from './schema-control.js'
import type { PlainKind } from './schema-text.js'
import { Problem, useAction } from './use-action.js'

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
  /** How many lines the field has. */
  rows?: number
  /** Whether the user can't change the value. */
  fixed?: boolean
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

interface ControlFormProps<Body> {
  /** The name of the form: `New model`. */
  label: string
  /** The text of the button that sends the form. */
  submit: string
  /** The fields. They can depend on the values. */
  shapeOf: (values: FormValues) => FormShape
  start?: FormValues
  /** Whether only the emulator checks the values, and not the browser. */
  noValidate?: boolean
  /** @throws {FieldError} When a value is wrong. The form shows at which field. */
  send: (body: Body) => Promise<unknown>
  cancel?: () => void
  /** An error that is not about the fields. */
  error?: Error | undefined
}

/**
 * A form for the body of a control call, made from its schema. After a success, it is as at the start.
 *
 * @typeParam Body What the form makes.
 */
export function ControlForm<Body>(props: ControlFormProps<Body>): ComponentChildren {
  const { label, submit, shapeOf, start = {}, noValidate, send, cancel, error } = props
  const { busy, run, problem } = useAction()
  const [values, setValues] = useState(start)
  const { schema, fields, others } = shapeOf(values)
  const folded = others === undefined ? [] : otherFields(schema, fields)
  const all = [...fields, ...folded]
  const { fields: problems, rest } = placed(
    problem,
    all.map(({ place }) => place),
  )
  const draw = (field: FormField): ComponentChildren => (
    <FormControl
      key={field.place}
      field={field}
      schema={schemaAt(schema, field.place)}
      required={schema.required?.includes(field.place) ?? false}
      value={values[field.place]}
      problem={problems[field.place]}
      onChange={(value) => setValues((before) => ({ ...before, [field.place]: value }))}
    />
  )
  return (
    <form
      class="actions fields"
      aria-label={label}
      noValidate={noValidate ?? false}
      onSubmit={(event) => {
        event.preventDefault()
        run(async () => {
          // The emulator checks the body, and the form shows at which field it is wrong.
          await send(bodyOf(all, schema, values) as Body)
          setValues(start)
        })
      }}
    >
      {fields.map(draw)}
      {folded.length > 0 && (
        <details open={folded.some(({ place }) => place in problems)}>
          <summary>{others}</summary>
          <div class="fields">{folded.map(draw)}</div>
        </details>
      )}
      <div class="line">
        <button disabled={busy}>{submit}</button>
        {cancel && (
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        )}
      </div>
      <Problem of={rest ?? error} />
    </form>
  )
}

/** The fields of a schema that have no text of their own. */
function otherFields(schema: JsonSchema, fields: readonly FormField[]): FormField[] {
  const places = placesIn(schema).filter((each) => schemaAt(schema, each).const === undefined)
  return places
    .filter((each) => fields.every(({ place }) => place !== each))
    .map((place) => ({ place, label: place }))
}

interface FormControlProps {
  field: FormField
  schema: JsonSchema
  required: boolean
  value: unknown
  problem: string | undefined
  onChange: (value: unknown) => void
}

function FormControl(props: FormControlProps): ComponentChildren {
  const { field, schema, required, value, problem, onChange } = props
  const { label, hint, example, wide, type, rows, fixed, focus } = field
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
  const unset = example ?? (kind.kind === 'choice' && required ? null : undefined)
  return (
    <Field
      label={label}
      hint={hint === undefined ? described(schema) : (hint ?? undefined)}
      wide={wide ?? kind.kind === 'json'}
      problem={problem}
    >
      {(attributes) => (
        <SchemaControl
          {...{ schema, kind, onChange }}
          value={value ?? (unset === null ? schema.enum?.[0] : undefined)}
          attributes={{
            ...attributes,
            ...(unset !== undefined && { placeholder: unset }),
            ...(kind.kind === 'text' && type && { type }),
            ...(schema.type === 'integer' && { type: 'number', min: schema.minimum }),
            ...(rows !== undefined && { rows }),
            ...(fixed && { readOnly: true }),
            ...(focus && { ref: focusOnce }),
            required,
          }}
        />
      )}
    </Field>
  )
}

function described({ description }: JsonSchema): ComponentChildren {
  return description === undefined ? undefined : <Description text={description} />
}

/** A value that is a list of some of a few words. */
function CheckList({
  field,
  schema,
  values,
  value = schema.default,
  problem,
  onChange,
}: FormControlProps & { values: readonly string[] }): ComponentChildren {
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

function bodyOf(
  fields: readonly FormField[],
  schema: JsonSchema,
  values: FormValues,
): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const { place, type } of fields) {
    const part = schemaAt(schema, place)
    const isFirst = part.enum !== undefined && schema.required?.includes(place)
    const value = values[place] ?? (isFirst ? part.enum[0] : undefined)
    if (value === undefined) continue
    const names = place.split('.')
    const last = names.pop()!
    const at = names.reduce<Record<string, unknown>>((outer, name) => {
      return (outer[name] ??= {}) as Record<string, unknown>
    }, body)
    at[last] = type === 'password' ? value : readValue(value, place, part)
  }
  return body
}

function readValue(value: unknown, place: string, schema: JsonSchema): unknown {
  if (typeof value !== 'string') return value
  if (plainKindOf(schema).kind !== 'json') return value.trim()
  return jsonField(value, place, schema.type === 'array' ? 'list' : 'object')
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
