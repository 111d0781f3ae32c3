import type { AnyPart } from './saved-part.js'
import type { WorldRecord } from './records.js'

export type Kind = WorldRecord['kind']
export type Of<K extends Kind> = Extract<WorldRecord, { kind: K }>

/** Returns the part with records of a kind. */
export type PartOf = (kind: string) => Pick<AnyPart, 'isGone'> | undefined

/** A record, and its place among all records that were written. */
export interface PlacedRecord<K extends Kind = Kind> {
  readonly record: Of<K>
  readonly index: number
}

/** The kinds of things that are deleted while a log still has records of their parts. */
const KINDS_WITH_PARTS = ['model', 'artifact'] as const satisfies readonly Kind[]

/** The last record of each thing, by kind and key. Records that were deleted are left out. */
export class LastRecords {
  // A map for each kind: one map with joined keys takes three times as long.
  readonly #kinds = new Map<Kind, Map<string, number>>()
  // Two lists, because an object for each of a million records takes more memory.
  readonly #records: WorldRecord[] = []
  readonly #indexes: number[] = []
  readonly #gone = new Map<Kind, Set<string>>(KINDS_WITH_PARTS.map((kind) => [kind, new Set()]))
  readonly #partOf: PartOf

  /** @param partOf - Returns the part with records of a kind. */
  constructor(partOf: PartOf) {
    this.#partOf = partOf
  }

  /** Adds the next record. It replaces an earlier one of the same thing, and keeps its place in the order. */
  add(record: WorldRecord, index: number): void {
    const key = 'key' in record ? record.key : ''
    let ofKind = this.#kinds.get(record.kind)
    if (!ofKind) this.#kinds.set(record.kind, (ofKind = new Map()))
    const isGone = this.#partOf(record.kind)?.isGone?.(record) === true
    const place = ofKind.get(key) ?? this.#records.length
    if (isGone) {
      this.#gone.get(record.kind)?.add(key)
      ofKind.delete(key)
      // Its memory is needed for others.
      if (place < this.#records.length) this.#records[place] = record
      return
    }
    if (place === this.#records.length) ofKind.set(key, place)
    this.#records[place] = record
    this.#indexes[place] = index
  }

  get<K extends Kind>(kind: K, key = ''): Of<K> | undefined {
    return this.placed(kind, key)?.record
  }

  placed<K extends Kind>(kind: K, key = ''): PlacedRecord<K> | undefined {
    const place = this.#kinds.get(kind)?.get(key)
    return place === undefined ? undefined : this.#at(place)
  }

  has(kind: Kind, key = ''): boolean {
    return this.#kinds.get(kind)?.has(key) ?? false
  }

  /** The same, or it was there and is gone: a log may still have records of the parts of such a thing. */
  hadOnce(kind: (typeof KINDS_WITH_PARTS)[number], key: string): boolean {
    return this.has(kind, key) || this.#gone.get(kind)!.has(key)
  }

  *of<K extends Kind>(kind: K): Generator<PlacedRecord<K>, void> {
    for (const place of this.#kinds.get(kind)?.values() ?? []) yield this.#at(place)
  }

  /** All records. Those of one kind are in the order in which their things were created. */
  get all(): WorldRecord[] {
    return [...this.#kinds.values()].flatMap((ofKind) => {
      return Array.from(ofKind.values(), (place) => this.#records[place]!)
    })
  }

  #at<K extends Kind>(place: number): PlacedRecord<K> {
    return { record: this.#records[place] as Of<K>, index: this.#indexes[place]! }
  }
}
