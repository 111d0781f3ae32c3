import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useCheck } from '../data/use-check.js'
import { Problem, useAction } from '../parts/use-action.js'
import {
  bodyOf,
  enteredIn,
  fieldsOf,
  isInside,
  otherFields,
  type FormField,
  type Values,
} from './field-values.js'
import type { Wrong } from './field-group.js'
import { Fields, type FieldsProps } from './fields.js'
import type { JsonSchema } from './json-schema.js'
import { refusedAt } from './refused-fields.js'

type Answer = ComponentChildren | void

export interface FormShape extends Pick<FieldsProps, 'fields' | 'known'> {
  schema: JsonSchema
  /** The title of a part that has all other fields of the schema. Default: they are left out. */
  others?: string
}

/** The values of a form, and the answer to them. */
function useForm(start: Values) {
  const { busy, run, problem } = useAction()
  const [begin] = useState(start)
  const [values, setValues] = useState(begin)
  const [answer, setAnswer] = useState<ComponentChildren>()
  const change = (next: Values): void => {
    setValues(next)
    setAnswer(undefined)
  }
  const submitted = (send: () => Promise<Answer>) => (event: Event) => {
    event.preventDefault()
    setAnswer(undefined)
    run(async () => setAnswer((await send()) ?? ''))
  }
  return { begin, values, setValues, change, answer, busy, problem, submitted }
}

export interface FormProps<Body> {
  /** The name of the form: `New model`. */
  label: string
  /** The text of the button that sends the form. */
  submit: string
  /** The fields. They can depend on the values. */
  shapeOf: (values: Values) => FormShape
  start?: Values
  /** Values that people often need. Each fills the fields that one of them sets. */
  presets?: Readonly<Record<string, Values>>
  /** The list of a scenario that what the form writes belongs to. It is checked while one types. */
  part?: 'faults'
  /**
   * What it returns is shown, and then the values stay. Default: the form is as at the start.
   *
   * @throws {FieldError} When a value is wrong. The form shows at which field.
   */
  send: (body: Body) => Promise<Answer>
  /** Shown beside the fields. */
  beside?: (body: Values) => ComponentChildren
  cancel?: () => void
  /** A part of something else has no ground of its own. In a line, there is one field. */
  look?: 'part' | 'line'
  /** Whether the call ends something. */
  isDanger?: boolean
}

/**
 * A form for the body of a control call, made from its schema.
 *
 * @typeParam Body What the form makes.
 */
export function Form<Body>(props: FormProps<Body>): ComponentChildren {
  const { label, shapeOf, start = {}, part, send, beside, look } = props
  const form = useForm(start)
  const { begin, values, problem } = form
  const shape = shapeOf(values)
  const { schema, fields = fieldsOf(schema), others } = shape
  const folded = others === undefined ? [] : otherFields(schema, fields)
  const all = [...fields, ...folded]
  const written = enteredIn(all, schema, values)
  // Nothing is wrong with a form that nobody has touched.
  const { found, error } = useFound(values === begin ? undefined : part, written, all)
  const refused = refusedAt(problem, all)
  const rest = refused.length === 0 ? problem : undefined
  const shown = { ...props, form, shape, fields, folded, found, problems: [...found, ...refused] }
  const end = <End {...shown} error={error ?? rest} />
  return (
    <form
      class={look === 'line' ? 'line' : `${look ? '' : 'actions'} ${beside ? 'beside' : 'fields'}`}
      aria-label={label}
      noValidate
      onSubmit={form.submitted(async () => {
        // The emulator checks the body, and the form shows at which field it is wrong.
        const said = await send((part ? written : bodyOf(all, schema, values)) as Body)
        if (said === undefined) form.setValues(begin)
        return said
      })}
    >
      {beside ? (
        <>
          <div class="fields">
            <Inputs {...shown} />
          </div>
          <div class="preview stack">
            {end}
            {beside(written)}
          </div>
        </>
      ) : (
        <>
          <Inputs {...shown} />
          {end}
        </>
      )}
    </form>
  )
}

interface ShownProps extends Pick<
  FormProps<never>,
  'presets' | 'part' | 'submit' | 'cancel' | 'isDanger'
> {
  form: ReturnType<typeof useForm>
  shape: FormShape
  fields: readonly FormField[]
  /** The fields that are not at the top. */
  folded: readonly FormField[]
  /** What is wrong with the values as they are now. */
  found: readonly Wrong[]
  /** That, and why the call was refused. */
  problems: readonly Wrong[]
}

/** The fields of a form, and what is wrong with none of them. */
function Inputs(props: ShownProps): ComponentChildren {
  const { form, shape, fields, folded, problems, presets = {}, part } = props
  const { schema, others, known = {} } = shape
  const shared = { schema, values: form.values, problems, known, change: form.change }
  return (
    <>
      <Presets of={presets} values={form.values} choose={form.change} />
      <Fields {...shared} fields={fields} />
      {folded.length > 0 && (
        <details open={part !== undefined || problems.some((each) => isAt(each, folded))}>
          <summary>{others}</summary>
          <div class="fields">
            <Fields {...shared} fields={folded} />
          </div>
        </details>
      )}
      {problems
        .filter((each) => !isAt(each, [...fields, ...folded]))
        .map(({ place, message }) => (
          <p key={message} class="bad wrong">
            {place !== '' && `${place}: `}
            {message}
          </p>
        ))}
    </>
  )
}

/** The buttons of a form, and what was said to it. */
function End(props: ShownProps & { error: Error | undefined }): ComponentChildren {
  const { form, found, submit, cancel, isDanger, error } = props
  const isWrong = found.length > 0
  return (
    <>
      <div class="line">
        <button class={isDanger ? 'danger' : undefined} disabled={form.busy || isWrong}>
          {submit}
        </button>
        {cancel && (
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        )}
        <output class={isWrong ? 'bad' : undefined}>
          {isWrong ? `Correct first: ${placesOf(found)}.` : form.answer}
        </output>
      </div>
      <Problem of={error} />
    </>
  )
}

interface PresetsProps {
  of: Readonly<Record<string, Values>>
  /** What the form has now. It keeps what no preset sets. */
  values: Values
  choose: (values: Values) => void
}

function Presets({ of, values: before, choose }: PresetsProps): ComponentChildren {
  const presets = Object.entries(of)
  if (presets.length === 0) return null
  const isSet = ([name]: [string, unknown]): boolean => presets.some(([, values]) => name in values)
  const kept = Object.fromEntries(Object.entries(before).filter((each) => !isSet(each)))
  return (
    <div class="line" role="group" aria-label="Presets">
      {presets.map(([name, values]) => (
        <button key={name} type="button" onClick={() => choose({ ...kept, ...values })}>
          {name}
        </button>
      ))}
    </div>
  )
}

/** What the emulator says about a form while one types: what it writes is the only item of a list. */
function useFound(part: string | undefined, written: Values, fields: readonly FormField[]) {
  const text = part && JSON.stringify({ name: 'form', [part]: [written] })
  const { problems, error } = useCheck(text, fields.map(({ place }) => place).join())
  return { found: problems.map((each) => ({ ...each, place: insideItem(each.place) })), error }
}

function isAt({ place }: Wrong, fields: readonly FormField[]): boolean {
  return fields.some((field) => isInside(place, field.place))
}

function insideItem(place: string): string {
  return place.replace(/^\w+\[0\]\.?/, '')
}

function placesOf(problems: readonly Wrong[]): string {
  return [...new Set(problems.map(({ place }) => place || 'the rest'))].join(', ')
}
