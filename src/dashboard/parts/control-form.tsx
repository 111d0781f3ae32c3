import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { placed } from './field.js'
import {
  bodyOf,
  FormFields,
  LineFields,
  otherFields,
  type FormShape,
  type FormValues,
} from './form-fields.js'
import { Problem, useAction } from './use-action.js'

type Answer = ComponentChildren | void

/** The values of a form, and the answer to them. */
function useForm(start: FormValues) {
  const { busy, run, problem } = useAction()
  const [values, setValues] = useState(start)
  const [answer, setAnswer] = useState<ComponentChildren>()
  const change = (place: string, value: unknown): void =>
    setValues((before) => ({ ...before, [place]: value }))
  const submitted = (send: () => Promise<Answer>) => (event: Event) => {
    event.preventDefault()
    setAnswer(undefined)
    run(async () => setAnswer((await send()) ?? ''))
  }
  return { values, setValues, change, answer, busy, problem, submitted }
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
  /**
   * What it returns is shown, and then the values stay. Default: the form is as at the start.
   *
   * @throws {FieldError} When a value is wrong. The form shows at which field.
   */
  send: (body: Body) => Promise<Answer>
  cancel?: () => void
  /** An error that is not about the fields. */
  error?: Error | undefined
  /** Whether the form is a part of something else, and has no ground of its own. */
  isPart?: boolean
}

/**
 * A form for the body of a control call, made from its schema.
 *
 * @typeParam Body What the form makes.
 */
export function ControlForm<Body>(props: ControlFormProps<Body>): ComponentChildren {
  const { label, submit, shapeOf, start = {}, noValidate, send, cancel, error, isPart } = props
  const { values, setValues, change, answer, busy, problem, submitted } = useForm(start)
  const { schema, fields, others } = shapeOf(values)
  const folded = others === undefined ? [] : otherFields(schema, fields)
  const all = [...fields, ...folded]
  const { fields: problems, rest } = placed(
    problem,
    all.map(({ place }) => place),
  )
  const shared = { schema, values, problems, change }
  return (
    <form
      class={isPart ? 'fields' : 'actions fields'}
      aria-label={label}
      noValidate={noValidate ?? false}
      onSubmit={submitted(async () => {
        // The emulator checks the body, and the form shows at which field it is wrong.
        const said = await send(bodyOf(all, schema, values) as Body)
        if (said === undefined) setValues(start)
        return said
      })}
    >
      <FormFields {...shared} fields={fields} />
      {folded.length > 0 && (
        <details open={folded.some(({ place }) => place in problems)}>
          <summary>{others}</summary>
          <div class="fields">
            <FormFields {...shared} fields={folded} />
          </div>
        </details>
      )}
      <div class="line">
        <button disabled={busy}>{submit}</button>
        {cancel && (
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        )}
        <output>{answer}</output>
      </div>
      <Problem of={rest ?? error} />
    </form>
  )
}

interface LineFormProps<Body> extends FormShape {
  label?: string
  submit: string
  start?: FormValues
  /** What it returns is shown. */
  send: (body: Body) => Promise<Answer>
  /** Shown while the call runs. */
  waiting?: string
  /** Shown before the first call. */
  said?: ComponentChildren
  /** Whether the call ends something. */
  isDanger?: boolean
  disabled?: boolean
}

/**
 * A form in one line: a button, and what it sends. The values stay after the call.
 *
 * @typeParam Body What the form makes.
 */
export function LineForm<Body>(props: LineFormProps<Body>): ComponentChildren {
  const { label, submit, schema, fields, start = {}, send, waiting, said, isDanger } = props
  const { values, change, answer, busy, problem, submitted } = useForm(start)
  return (
    <>
      <form
        class="line"
        aria-label={label}
        onSubmit={submitted(() => send(bodyOf(fields, schema, values) as Body))}
      >
        <button class={isDanger ? 'danger' : undefined} disabled={busy || props.disabled}>
          {submit}
        </button>
        <LineFields {...{ schema, fields, values, change }} />
        <output>{busy ? waiting : (answer ?? said)}</output>
      </form>
      <Problem of={problem} />
    </>
  )
}
