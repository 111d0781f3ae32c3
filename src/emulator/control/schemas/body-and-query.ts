import { anything } from '../../../service/contract/pydantic/scalars.js'
import { dictionary } from '../../../service/contract/pydantic/containers.js'
import {
  defaulted,
  type Field,
  type Fields,
  type FieldValue,
  type Shape,
} from '../../../service/contract/pydantic/fields.js'
import { boundedInteger } from '../../../service/contract/pydantic/integer.js'
import { model } from '../../../service/contract/pydantic/model.js'
import { parameters, type Parameters } from '../../../service/contract/pydantic/parameters.js'
import type { Schema } from '../../../service/contract/pydantic/schema.js'

/** What a caller may send for a set of fields: a field with a default may be left out. */
type InputFields<F extends Fields> = {
  [
    K in keyof F as F[K] extends Field<unknown, 'required'> | Schema<unknown> ? K : never
  ]: FieldValue<F[K]>
} & {
  [K in keyof F as F[K] extends Field<unknown, 'required'> | Schema<unknown> ? never : K]?:
    | FieldValue<F[K]>
    | undefined
}

/** Holds the type of what a caller may send. It never has a value. */
export interface Accepts<out T> {
  readonly sent?: T
}

/**
 * The body of a call. A key that no field names is refused, so that no typo is ignored. Tools of MCP take their
 * arguments from `fields`. In all schemas of the control API, times are in ISO 8601 on the emulator's clock.
 */
export function controlBody<F extends Fields>(
  name: string,
  fields: F,
): Schema<Shape<F>> & Accepts<InputFields<F>> & { readonly fields: F } {
  return { ...model<F>(name, fields, { extra: 'forbid' }), fields }
}

/** The query of a call. A parameter that no field names is refused. */
export function controlQuery<F extends Fields>(
  fields: F,
): Parameters<Shape<F>> & Accepts<InputFields<F>> & { readonly fields: F } {
  return { ...parameters('query', fields, { extra: 'forbid' }), fields }
}

/** A number from 1 that has a default: how much of something a caller wants. */
export function upTo(most: number, usual: number, description: string): Field<number, 'defaulted'> {
  return defaulted(boundedInteger({ ge: 1, le: most }), () => usual, { description })
}

/** An object whose fields another schema declares: the scenario's, or that of snapshots. */
export function objectOf<T>(): Schema<T> {
  return dictionary(anything) as Schema<unknown> as Schema<T>
}
