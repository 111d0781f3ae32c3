import { shortJson } from '../../../base/text/shortened.js'
import type { LastRecords, PlacedRecord } from './last-records.js'
import type { WorldRecord } from './records.js'

type Kind = WorldRecord['kind']
export type Of<K extends Kind> = Extract<WorldRecord, { kind: K }>

/** What is wrong with a record. */
export interface Flaw {
  /** The place of the wrong value in the record. */
  path: readonly (string | number)[]
  message: string
}

/** A problem of one record. */
export interface RecordFlaw extends Flaw {
  /** The index of the record. */
  index: number
  record: WorldRecord
}

/** The problems of records. The numbers between them are sizes of pieces of work, as in `Pieces`. */
export type Flaws = Generator<RecordFlaw | number, void>

/** The size of what is done to look up what a record refers to. */
export const LOOKED_UP = 0.1

/** The records of a world, to look up what one of them refers to. */
export class Records {
  readonly #last: LastRecords
  /** The ids of deleted models. */
  readonly deleted: ReadonlySet<string>
  readonly contents: LastRecords['contents']

  constructor(last: LastRecords) {
    this.#last = last
    this.deleted = last.deletedModels
    this.contents = last.contents
  }

  get<K extends Kind>(kind: K, key: string): Of<K> | undefined {
    return this.#last.get(kind, key)?.record
  }

  has(kind: Kind, key: string): boolean {
    return this.#last.has(kind, key)
  }

  all<K extends Kind>(kind: K): Iterable<PlacedRecord<K>> {
    return this.#last.of(kind)
  }

  /** Adds to a problem which record has it. */
  flawOf(kind: Kind, key: string, flaw: Flaw): RecordFlaw {
    return { ...this.#last.get(kind, key)!, ...flaw }
  }

  *flaws<K extends Kind>(kind: K, flawOf: (record: Of<K>) => Flaw | undefined): Flaws {
    for (const { record, index } of this.all(kind)) {
      const flaw = flawOf(record)
      if (flaw) yield { index, record, ...flaw }
      yield LOOKED_UP
    }
  }
}

export function flawAt(path: Flaw['path'], message: string): Flaw {
  return { path, message }
}

export function missing(path: Flaw['path'], what: string, id: string): Flaw {
  return flawAt(path, `there is no ${what} ${shortJson(id)}`)
}
