import type { ComponentChildren } from 'preact'
import type { TextProblem } from '../data/use-check.js'
import { isInside, type FieldRule, type FormField } from './field-values.js'

/** What is wrong with a value, and the nearest right one. */
export type Wrong = Pick<TextProblem, 'place' | 'message'> & Partial<TextProblem>

export interface FieldProps extends FieldRule {
  field: FormField
  label: string
  /** The place in the form. */
  place: string
  value: unknown
  problems: readonly Wrong[]
  known: Readonly<Record<string, readonly string[]>>
  change: (value: unknown) => void
}

interface GroupProps extends FieldProps {
  /** Whether only the problems of the field itself are named: the fields inside name theirs. */
  own?: boolean
  /** Whether the fields inside belong to one value. */
  isPlain?: boolean
  children: ComponentChildren
}

/** Several controls with one legend. */
export function Group(props: GroupProps): ComponentChildren {
  const { field, label, schema, required, own, isPlain, children } = props
  return (
    <fieldset class={isPlain ? undefined : 'group fields'}>
      <legend>
        {label}
        {required && field.label === undefined && <span class="faint"> (required)</span>}
      </legend>
      {!isPlain && (
        <p class="faint help">
          <Description text={schema.description} />
        </p>
      )}
      <Problems of={props} own={own} />
      {children}
    </fieldset>
  )
}

/** The description of a schema, with code between backticks. */
export function Description({ text = '' }: { text: string | undefined }): ComponentChildren {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))
}

/** The problems of a field, and of the values inside of it. */
export function problemsAt(
  place: string,
  problems: readonly Wrong[],
  own = false,
): readonly Wrong[] {
  return problems.filter((problem) =>
    own ? problem.place === place : isInside(problem.place, place),
  )
}

/** Says what is wrong with a field, and offers the nearest right value. */
export function Problems({
  of,
  own,
}: {
  of: FieldProps
  own?: boolean | undefined
}): ComponentChildren {
  const { place, problems, change } = of
  return problemsAt(place, problems, own).map(({ message, nearest, place: at }) => (
    <p key={message} class="bad wrong">
      {message}
      {nearest && at === place && (
        <>
          {' '}
          <button type="button" onClick={() => change(nearest)}>
            Use {nearest}
          </button>
        </>
      )}
    </p>
  ))
}
