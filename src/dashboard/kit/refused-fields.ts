import { FieldError, isInside, type FormField } from './field-values.js'
import type { Wrong } from './fields.js'

/** A place in a message of the control API, which answers a text: `webhooks[0].url: …`, `body.name: …`. */
const PLACE = /^\s*(?:\w+\[\d+\]\.|body\.)?([a-z_][\w.[\]]*): (.+)$/i

/** What a refusal says about fields: a line for each. */
export function refusedAt(problem: Error | undefined, fields: readonly FormField[]): Wrong[] {
  const said =
    problem instanceof FieldError
      ? [{ place: problem.place, message: problem.reason }]
      : (problem?.message.split('\n') ?? []).map((line) => {
          const [, place = '', message = ''] = PLACE.exec(line) ?? []
          return { place, message }
        })
  return said.flatMap(({ place, message }) => {
    const at =
      fields.find((field) => isInside(place, field.place)) ??
      fields.findLast((field) => isInside(field.place, place))
    return at ? [{ place: at.place, message }] : []
  })
}
