import type { Fields, Shape } from '../contract/pydantic/fields.js'
import { model } from '../contract/pydantic/model.js'
import { parameters, type Parameters } from '../contract/pydantic/parameters.js'
import type { Schema } from '../contract/pydantic/schema.js'

/** The body of a control API call. A key that no field names is refused, so that no typo is ignored. */
export function controlBody<F extends Fields>(name: string, fields: F): Schema<Shape<F>> {
  return model(name, fields, { extra: 'forbid' })
}

/** The query of a control API call. A parameter that no field names is refused. */
export function controlQuery<F extends Fields>(fields: F): Parameters<Shape<F>> {
  return parameters('query', fields, { extra: 'forbid' })
}

/** For the rows that take no body: `{}` is the same as none. */
export const noBody = controlBody('NoBody', {})
/** For the rows that take no query parameters. */
export const noQuery = controlQuery({})
