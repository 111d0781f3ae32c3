import { FieldError, isInside, type FormField } from './field-values.js'
import type { Wrong } from './field-group.js'

/** A line of a refusal, which is a text: `webhooks[0].url: …`, `body.name: …`. */
const LINE = /^\s*(?:\w+\[\d+\]\.|body\.)?(?<place>[a-z_][\w.[\]]*): (?<message>.+)$/i

/**
 * What a refusal says about fields: a line for each. Nothing if it names no field of the form. Otherwise, what it says
 * about other places is there, too.
 */
export function refusedAt(problem: Error | undefined, fields: readonly FormField[]): Wrong[] {
  const said = wrongIn(problem)
  if (!said.some(({ place }) => fieldAt(place, fields))) return []
  return said.map(({ place, message }) => ({
    place: fieldAt(place, fields)?.place ?? place,
    message,
  }))
}

/** What is wrong, at the places that a refusal of the form or of the control API names. */
function wrongIn(problem: Error | undefined): Wrong[] {
  if (problem instanceof FieldError) return [{ place: problem.place, message: problem.reason }]
  const lines = problem?.message.split('\n') ?? []
  return lines.flatMap((line) => {
    const { place, message } = LINE.exec(line)?.groups ?? {}
    return place === undefined || message === undefined ? [] : [{ place, message }]
  })
}

/** The field that has a place. If several fields have a part of it each, the last of them: its text is below all. */
function fieldAt(place: string, fields: readonly FormField[]): FormField | undefined {
  const whole = fields.find((field) => isInside(place, field.place))
  return whole ?? fields.findLast((field) => isInside(field.place, place))
}
