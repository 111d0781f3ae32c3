import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Choice, Toggle } from '../parts/choice.js'
import { focusOnce } from '../parts/focus-once.js'
import { Control } from './control.js'
import {
  fieldName,
  fieldsOf,
  isEmpty,
  recordOf,
  ruleOf,
  valueOf,
  withValue,
  type FormField,
  type Values,
} from './field-values.js'
import { fieldKindOf, variantOf, type JsonSchema } from './json-schema.js'
import type { PlainKind } from './schema-text.js'
import {
  type Wrong,
  type FieldProps,
  Group,
  Description,
  problemsAt,
  Problems,
} from './field-group.js'

export interface FieldsProps {
  /** The schema of the object. */
  schema: JsonSchema
  /** Default: all fields of the schema. */
  fields?: readonly FormField[]
  values: Values
  /** The place of the object in the form. Default: it is what the form writes. */
  at?: string
  problems?: readonly Wrong[]
  /** Values to complete, by the name of a field, besides the examples of the schema. */
  known?: Readonly<Record<string, readonly string[]>>
  change: (values: Values) => void
}

/** Fields with labels and notes, made from the schema of an object. */
export function Fields(props: FieldsProps): ComponentChildren {
  const { schema, fields = fieldsOf(schema) } = props
  return fields.map((field) => <Field key={field.place} {...fieldProps(props, field)} />)
}

function fieldProps(props: FieldsProps, field: FormField): FieldProps {
  const { schema, values, at, problems = [], known = {}, change } = props
  return {
    field,
    ...ruleOf(schema, field),
    label: field.label ?? fieldName(field.place),
    place: at === undefined ? field.place : `${at}.${field.place}`,
    value: valueOf(schema, field, values),
    problems,
    known,
    change: (value) => change(withValue(values, field.place, value)),
  }
}

function Field(props: FieldProps): ComponentChildren {
  const { field, schema } = props
  const kind = field.json ? JSON_KIND : fieldKindOf(schema)
  if (kind.kind === 'union') return <UnionField {...props} variants={kind.variants} />
  if (kind.kind === 'object') {
    return (
      <Group {...props} own>
        <Fields {...innerProps(props, schema)} />
      </Group>
    )
  }
  if (kind.kind === 'boolean' && typeof schema.default === 'boolean') {
    return <ToggleField {...props} usual={schema.default} />
  }
  if (kind.kind === 'list' && !kind.single && kind.values.length > 0) {
    return <SomeOf {...props} words={kind.values} />
  }
  return <PlainField {...props} kind={kind} />
}

/** A box to check, for a value that is true or false without an entry. */
function ToggleField(props: FieldProps & { usual: boolean }): ComponentChildren {
  const { label, schema, value, usual, change } = props
  return (
    <div class="line">
      <Toggle
        title={schema.description}
        checked={value === undefined ? usual : value === true}
        change={change}
      >
        {label}
      </Toggle>
      <Problems of={props} />
    </div>
  )
}

/** A box to check for each word that a list can have. */
function SomeOf(props: FieldProps & { words: readonly string[] }): ComponentChildren {
  const { schema, value, words, change } = props
  const chosen = [value ?? schema.default ?? []].flat().map(String)
  const toggle = (word: string, on: boolean): void =>
    change(words.filter((each) => (each === word ? on : chosen.includes(each))))
  return (
    <Group {...props} isPlain>
      <div class="line">
        {words.map((each) => (
          <Toggle key={each} checked={chosen.includes(each)} change={(on) => toggle(each, on)}>
            {each}
          </Toggle>
        ))}
      </div>
    </Group>
  )
}

const JSON_KIND = { kind: 'json' } as const

/** The fields of an object inside of another one. */
function innerProps(
  { place, value, required, problems, known, change }: FieldProps,
  schema: JsonSchema,
) {
  const next = (values: Values): void =>
    change(Object.keys(values).length === 0 && !required ? undefined : values)
  return { schema, values: recordOf(value), at: place, problems, known, change: next }
}

/** A value that can have several forms: the user selects the form, and fills it in. */
function UnionField(props: FieldProps & { variants: readonly JsonSchema[] }): ComponentChildren {
  const { variants, label, value, change } = props
  const [chosen, setChosen] = useState(-1)
  // An object without keys fits every form, so what the user chose counts.
  const isOpen = isEmpty(value)
  const index = chosen >= 0 && isOpen ? chosen : variantOf(variants, value)
  const variant = variants[index]
  const kind = variant && fieldKindOf(variant)
  return (
    <Group {...props} own={variant !== undefined}>
      <Choice
        label={`Form of ${label}`}
        look="field"
        value={String(index)}
        change={(next) => {
          setChosen(Number(next))
          change(undefined)
        }}
        of={[['-1', 'not set'], ...variants.map((each, at) => [String(at), formOf(each)] as const)]}
      />
      {variant && kind?.kind === 'object' && <Fields {...innerProps(props, variant)} />}
      {variant && kind && kind.kind !== 'object' && (
        <PlainField
          {...props}
          label={`${label}: value`}
          schema={variant}
          required={false}
          kind={kind.kind === 'union' ? JSON_KIND : kind}
        />
      )}
    </Group>
  )
}

/** What a form of a value is called: the keys of an object, or its type. */
function formOf({ type, title, properties, items }: JsonSchema): string {
  if (properties) return Object.keys(properties).join(', ')
  if (type === 'array') return items?.type === 'integer' ? 'list of numbers' : 'list'
  if (title !== undefined) return title.toLowerCase()
  return type === 'integer' ? 'number' : (type ?? 'any value')
}

function PlainField(props: FieldProps & { kind: PlainKind }): ComponentChildren {
  const { field, label, schema, required, kind, problems, place } = props
  const id = useId()
  const { hint = <Hint of={schema} kind={kind} />, wide = kind.kind === 'json' } = field
  const isWrong = problemsAt(place, problems).length > 0
  return (
    <div class={wide ? 'field wide' : 'field'}>
      <label for={id}>
        {label}
        {required && field.label === undefined && <span class="faint"> (required)</span>}
      </label>
      <PlainControl
        {...props}
        attributes={{
          id,
          'aria-describedby': `${id}-help ${id}-wrong`,
          'aria-invalid': isWrong,
        }}
      />
      <p class="faint" id={`${id}-help`}>
        {hint}
      </p>
      <div id={`${id}-wrong`}>
        <Problems of={props} />
      </div>
    </div>
  )
}

function Hint({ of, kind: { kind } }: { of: JsonSchema; kind: PlainKind }): ComponentChildren {
  return (
    <>
      <Description text={of.description} />
      {kind === 'list' && ' Separate several with commas.'}
      {kind === 'map' && ' One on each line, such as name: value.'}
    </>
  )
}

interface PlainControlProps extends FieldProps {
  kind: PlainKind
  attributes: Readonly<Record<string, unknown>> & { id: string }
}

function PlainControl(props: PlainControlProps): ComponentChildren {
  const { field, kind, schema, required, isChosen, value, known, change, attributes } = props
  const { place, example, type, rows, prose, fixed, focus } = field
  const words = [
    ...(field.known ?? []),
    ...(kind.kind === 'list' ? kind.values : []),
    ...(known[fieldName(place)] ?? []),
    ...(schema.examples ?? []).filter((each) => typeof each !== 'object').map(String),
  ]
  const unset = isChosen ? null : example
  // A field that the form names is checked when it is sent. Any other takes each text, and says what is wrong.
  const isNumber = field.label !== undefined && schema.type === 'integer'
  return (
    <Control
      {...{ schema, kind, value }}
      known={field.label === undefined || field.known ? words : []}
      onChange={change}
      attributes={{
        'aria-required': required,
        ...attributes,
        ...(unset !== undefined && { placeholder: unset }),
        ...(kind.kind === 'text' && type && { type }),
        ...(isNumber && { type: 'number', min: schema.minimum }),
        ...(rows !== undefined && { rows }),
        ...(prose && { class: undefined }),
        ...(fixed && { readOnly: true }),
        ...(focus && { ref: focusOnce }),
      }}
    />
  )
}
