import type { z } from 'zod'
import type { RecordFields } from './record-fields.js'

type Maker<Schema> = (fields: RecordFields) => Schema

/** Declares a schema of what is saved. It is made once a saved world is read, because zod is not loaded before. */
export function declared<Schema extends z.ZodType>(make: Maker<Schema>): Maker<Schema> {
  return make
}

/** What a declared schema reads. */
export type TypeFrom<Make extends Maker<z.ZodType>> = z.infer<ReturnType<Make>>
