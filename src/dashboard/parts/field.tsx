import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** The attributes that connect a control with its label and its error. */
export interface FieldAttributes {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': boolean | undefined
}

interface FieldProps {
  label: string
  /** A short note under the control. */
  hint?: ComponentChildren
  /** What is wrong with the value. */
  problem?: string | undefined
  /** Whether the field takes the whole width of the form, or twice the usual width. */
  wide?: boolean | 'twice'
  /** Draws the control. Spread the attributes on it. */
  children: (attributes: FieldAttributes) => ComponentChildren
}

/** A control of a form with its label, a note and its error. */
export function Field({ label, hint, problem, wide, children }: FieldProps): ComponentChildren {
  const id = useId()
  const noteId = `${id}-note`
  const hasNote = hint !== undefined || problem !== undefined
  return (
    <div class={`field ${wide === true ? 'wide' : (wide ?? '')}`}>
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-describedby': hasNote ? noteId : undefined,
        'aria-invalid': problem === undefined ? undefined : true,
      })}
      {hasNote && (
        <p id={noteId} class={problem === undefined ? 'faint' : 'bad'}>
          {problem ?? hint}
        </p>
      )}
    </div>
  )
}

/** What is wrong with each field of a form, and what belongs to none of them. */
export interface PlacedProblems {
  fields: Readonly<Record<string, string>>
  rest: Error | undefined
}

/** A place in a message: `webhooks[0].url: …`, `body.name: …`. */
const PLACE = /^\s*(?:(?:webhooks|automations)\[\d+\]\.|body\.)?([a-z_][\w.[\]]*): (.+)$/i

/** Finds the fields that an error is about. A line without a field stays in the rest. */
export function placed(problem: Error | undefined, names: readonly string[]): PlacedProblems {
  const fields: Record<string, string> = {}
  if (!problem) return { fields, rest: undefined }
  for (const line of problem.message.split('\n')) {
    const [, place = '', text = ''] = PLACE.exec(line) ?? []
    const name =
      names.find((each) => isIn(place, each)) ?? names.findLast((each) => isIn(each, place))
    if (name !== undefined) fields[name] ??= text
  }
  return { fields, rest: Object.keys(fields).length === 0 ? problem : undefined }
}

/** Whether a place is this one, or a part of it. */
function isIn(place: string, whole: string): boolean {
  return place === whole || (place.startsWith(whole) && /^[.[]/.test(place.slice(whole.length)))
}

/** Thrown when the text of a field can't be read. The message begins with the name of the field. */
export class FieldError extends Error {
  constructor(field: string, message: string) {
    super(`${field}: ${message}`)
  }
}

/**
 * Reads the JSON that the user typed.
 *
 * @returns Undefined if the field is empty.
 * @throws {FieldError} When it is not JSON of that kind.
 */
export function jsonField(
  text: string,
  field: string,
  kind: 'list' | 'object',
): object | undefined {
  if (text.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new FieldError(field, `This is not JSON: ${(error as Error).message}.`)
  }
  const isList = Array.isArray(value)
  const fits = kind === 'list' ? isList : typeof value === 'object' && value !== null && !isList
  if (fits) return value as object
  throw new FieldError(
    field,
    kind === 'list'
      ? 'A JSON list is expected. Write it like [{ … }].'
      : 'A JSON object is expected. Write it like { "key": "value" }.',
  )
}
