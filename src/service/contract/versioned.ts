import type { Schema } from './pydantic/schema.js'
import { NEWEST_CONTRACT, type ContractVersion } from './versions.js'

/** A schema that differs between contracts. By itself, it is that of the newest contract. */
export interface VersionedSchema<out T> extends Schema<T> {
  /** Returns the schema as it is in a contract. It is made once. */
  readonly in: (version: ContractVersion) => Schema<T>
}

/** Makes a schema of each contract that is asked for. `make` calls `fieldsIn` for the types that changed. */
export function versioned<T>(make: (version: ContractVersion) => Schema<T>): VersionedSchema<T> {
  const newest = make(NEWEST_CONTRACT)
  const made = new Map([[NEWEST_CONTRACT, newest]])
  return {
    ...newest,
    in(version) {
      const schema = made.get(version) ?? make(version)
      made.set(version, schema)
      return schema
    },
  }
}

export function isVersioned<T>(schema: Schema<T> | undefined): schema is VersionedSchema<T> {
  return schema !== undefined && 'in' in schema
}
