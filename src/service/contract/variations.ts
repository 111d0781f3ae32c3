import type { Schema } from './pydantic/schema.js'

/**
 * How a field of an answer may differ from what the emulator sends. `any`: the contract says nothing about it, so it may
 * be absent, null, or of another type.
 */
export type VariationKind = 'added' | 'absent' | 'null' | 'any'

/** A change of an answer that its contract allows. */
export interface Variation {
  readonly kind: VariationKind
  /** The field, as the fault `edit` names it: `data.*.metrics`. */
  readonly path: string
}

/** A field that no contract has. */
const ADDED = 'added_later'

/**
 * Returns how an answer may differ: a field is absent if it is optional or not documented, and null if its type says so.
 * Each object may have a field that no contract has. A map promises none of its keys.
 *
 * @param schema The schema of the answer.
 * @example
 * variationsOf(modelResponse) // [{ kind: 'added', path: 'added_later' }, { kind: 'absent', path: 'run_id' }, …]
 */
export function variationsOf(schema: Schema<unknown>): Variation[] {
  return [...variationsAt(schema, [])]
}

function* variationsAt({ parts }: Schema<unknown>, names: readonly string[]): Generator<Variation> {
  if (!parts) return
  const path = names.join('.')
  if (parts.kind === 'fields') {
    yield { kind: 'added', path: [...names, ADDED].join('.') }
    for (const { key, schema, required, documented } of parts.fields) {
      const place = [...names, key]
      if (!required || !documented) yield { kind: 'absent', path: place.join('.') }
      yield* variationsAt(schema, place)
    }
    return
  }
  if (parts.kind === 'list') {
    yield* variationsAt(parts.item, [...names, '*'])
    return
  }
  // The answer as a whole is what a client asked for.
  if (path === '') return
  if (parts.kind === 'anything') {
    yield { kind: 'any', path }
  } else if (parts.kind === 'map') {
    if (parts.item.parts?.kind !== 'anything') yield { kind: 'absent', path: `${path}.*` }
    yield* variationsAt(parts.item, [...names, '*'])
  } else {
    yield { kind: 'null', path }
    yield* variationsAt(parts.inner, names)
  }
}
