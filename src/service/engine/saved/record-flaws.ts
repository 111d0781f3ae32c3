import { shortJson } from '../../../base/text/shortened.js'
import type { Kind, LastRecords, Of } from './last-records.js'
import type { WorldRecord } from './records.js'

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

/** Finds what is wrong with each record of a kind. */
export function* flawsOf<K extends Kind>(
  among: LastRecords,
  kind: K,
  flawOf: (record: Of<K>) => Flaw | undefined,
): Flaws {
  for (const { record, index } of among.of(kind)) {
    const flaw = flawOf(record)
    if (flaw) yield { index, record, ...flaw }
    yield LOOKED_UP
  }
}

export function flawAt(path: Flaw['path'], message: string): Flaw {
  return { path, message }
}

export function missing(path: Flaw['path'], what: string, id: string): Flaw {
  return flawAt(path, `there is no ${what} ${shortJson(id)}`)
}
