import type { Schema } from './schema.js'

/** A schema of answers that the OpenAPI document shows as another one, because the service documents less. */
export function documentedAs<T>(shown: Schema<unknown>, schema: Schema<T>): Schema<T> {
  return {
    ...schema,
    named: shown.named ?? false,
    describe: (components) => shown.describe(components),
  }
}
