import { isRecord } from '../../service/contract/pydantic/record.js'
import { DriftError, shortText } from './document.js'
import { clientsThat, severityOf, type Difference, type Relation, type Side } from './difference.js'
import {
  isLowerBound,
  isOpen,
  isUpperBound,
  WORDS,
  type Alternative,
  type Schemas,
  type TypeName,
} from './schemas.js'
import { labelsOf, pairsOf } from './pair-alternatives.js'

/** A part of both documents. */
export interface Pair {
  /** The schema of the service. */
  readonly theirs: unknown
  /** The schema of the emulator. */
  readonly ours: unknown
}

/** Where a part is, and who uses it. */
export interface Spot {
  readonly side: Side
  /** `POST /v1/preview/training-jobs → request` */
  readonly root: string
  /** `trajectory_groups[].trajectories[]`. Empty at the root. */
  readonly path: string
}

/** What a comparison found, without its place. */
type Finding = Pick<Difference, 'kind' | 'severity' | 'what' | 'who'>

/** The deepest place, and the most pairs of schemas. Documents that people use are far below. */
const DEEPEST = 200
const MOST_PAIRS = 50_000

/** Compares schemas of two documents, and collects the differences. */
export class SchemaComparison {
  readonly differences: Difference[] = []
  readonly #theirs: Schemas
  readonly #ours: Schemas
  /** Pairs under way, and pairs that are equal. A pair that contains itself is equal if the rest is. */
  readonly #equal = new Map<string, Map<unknown, Set<unknown>>>()
  readonly #numbers = new WeakMap<object, number>()
  #counted = 0
  #pairs = 0
  #depth = 0

  constructor(theirs: Schemas, ours: Schemas) {
    this.#theirs = theirs
    this.#ours = ours
  }

  /**
   * Compares two schemas and what they contain.
   *
   * @throws {DriftError} When a schema has no end, or is too large to compare.
   */
  compare(pair: Pair, spot: Spot): void {
    const theirs = this.#theirs.references.follow(pair.theirs)
    const ours = this.#ours.references.follow(pair.ours)
    const known = this.#knownFor(spot.side, theirs)
    if (known.has(ours)) return
    if (++this.#pairs > MOST_PAIRS) {
      throw new DriftError(
        `The document is too large to compare: it has more than ${MOST_PAIRS} places.`,
      )
    }
    if (++this.#depth > DEEPEST) throw this.#theirs.tooDeep()
    known.add(ours)
    const before = this.differences.length
    this.#compareForms({ theirs, ours }, spot)
    this.#depth--
    // Another place with the same pair has the same differences.
    if (this.differences.length > before) known.delete(ours)
  }

  add(spot: Spot, finding: Finding, pair?: Pair): void {
    const { root, path } = spot
    const place = path === '' ? root : `${root} → ${path}`
    const origin = pair && this.#originOf(pair, finding, path)
    this.differences.push({
      ...finding,
      id: `${finding.kind} ${place}`,
      place,
      ...(origin !== undefined && { origin }),
    })
  }

  /** The same schemas, and the same last name: a schema that several operations use. */
  #originOf({ theirs, ours }: Pair, { kind, severity, what }: Finding, path: string): string {
    const last = /[^.]*$/.exec(path)![0]
    return [this.#numberOf(theirs), this.#numberOf(ours), kind, severity, last, what].join(' ')
  }

  #numberOf(value: unknown): number {
    if (typeof value !== 'object' || value === null) return 0
    let number = this.#numbers.get(value)
    if (number === undefined) this.#numbers.set(value, (number = ++this.#counted))
    return number
  }

  #knownFor(side: Side, theirs: unknown): Set<unknown> {
    let known = this.#equal.get(side)
    if (!known) this.#equal.set(side, (known = new Map<unknown, Set<unknown>>()))
    let pairs = known.get(theirs)
    if (!pairs) known.set(theirs, (pairs = new Set<unknown>()))
    return pairs
  }

  #compareForms(pair: Pair, spot: Spot): void {
    const theirs = this.#theirs.alternatives(pair.theirs)
    const ours = this.#ours.alternatives(pair.ours)
    this.#compareTypes({ theirs, ours }, spot, pair)
    if (isOpen(theirs) || isOpen(ours)) return
    for (const type of SCALARS) this.#compareScalars(type, { theirs, ours, spot, pair })
    for (const type of ['array', 'object'] as const) {
      this.#compareParts(ofType(theirs, type), ofType(ours, type), { spot, pair })
    }
  }

  #compareTypes({ theirs, ours }: Forms, spot: Spot, pair: Pair): void {
    const [service, emulator] = [typesOf(theirs), typesOf(ours)]
    const missing = [...emulator].filter((type) => !accepts(service, type))
    const more = [...service].filter((type) => !accepts(emulator, type))
    if (missing.length === 0 && more.length === 0) return
    const { side } = spot
    const isOnlyNull = [...missing, ...more].every((type) => type === 'null')
    if (isOnlyNull) return this.add(spot, nullFinding(side, more.length > 0), pair)
    const without = more.length === 0 ? 'narrower' : 'other'
    const relation = missing.length === 0 ? 'wider' : without
    this.add(
      spot,
      {
        kind: 'type-changed',
        severity: severityOf(side, relation),
        what: `the service has ${typeText(service)}, the emulator ${typeText(emulator)}`,
        who: clientsThat(side),
      },
      pair,
    )
  }

  #compareScalars(type: TypeName, { theirs, ours, spot, pair }: Forms & PlacedPair): void {
    const [service, emulator] = [scalarOf(theirs, type), scalarOf(ours, type)]
    if (!service || !emulator) return
    this.#compareValues(service, emulator, { spot, pair })
    this.#compareLimits(service, emulator, { spot, pair })
  }

  #compareValues(theirs: Alternative, ours: Alternative, { spot, pair }: PlacedPair): void {
    const { side } = spot
    if (!theirs.values && !ours.values) return
    if (!theirs.values || !ours.values) {
      const relation: Relation = theirs.values ? 'narrower' : 'wider'
      const added = theirs.values !== undefined
      const values = shortText(theirs.values ?? ours.values)
      this.add(
        spot,
        {
          kind: added ? 'enum-added' : 'enum-removed',
          severity: severityOf(side, relation),
          what: added
            ? `the service takes only ${values}, the emulator any ${theirs.type}`
            : `the service takes any ${theirs.type}, the emulator only ${values}`,
          who: clientsThat(side, added === (side === 'request') ? 'other values' : 'it'),
        },
        pair,
      )
      return
    }
    const texts = (values: readonly unknown[]): string[] =>
      values.map((value) => JSON.stringify(value))
    const [service, emulator] = [texts(theirs.values), texts(ours.values)]
    for (const value of service.filter((each) => !emulator.includes(each))) {
      this.#addValue('added', value, { spot, pair })
    }
    for (const value of emulator.filter((each) => !service.includes(each))) {
      this.#addValue('removed', value, { spot, pair })
    }
  }

  #addValue(how: 'added' | 'removed', value: string, { spot, pair }: PlacedPair): void {
    const has =
      how === 'added'
        ? 'the service has it, the emulator does not'
        : 'the emulator has it, the service does not'
    const severity = severityOf(spot.side, how === 'added' ? 'wider' : 'narrower')
    const who = clientsThat(spot.side, value)
    // The value is a part of the place, so that each one has its own id.
    const path = spot.path === '' ? value : `${spot.path} ${value}`
    this.add({ ...spot, path }, { kind: `enum-value-${how}`, severity, what: has, who }, pair)
  }

  #compareLimits(theirs: Alternative, ours: Alternative, { spot, pair }: PlacedPair): void {
    const keys = new Set([...Object.keys(ours.limits), ...Object.keys(theirs.limits)])
    for (const key of keys) {
      const [service, emulator] = [theirs.limits[key], ours.limits[key]]
      if (JSON.stringify(service) === JSON.stringify(emulator)) continue
      const none = 'none'
      this.add(
        spot,
        {
          kind: `${kebab(key)}-changed`,
          severity: severityOf(spot.side, relationOf(key, service, emulator)),
          what: `the service has ${service === undefined ? none : shortText(service)}, the emulator ${emulator === undefined ? none : shortText(emulator)}`,
          who: clientsThat(spot.side),
        },
        pair,
      )
    }
  }

  #compareParts(
    theirs: readonly Alternative[],
    ours: readonly Alternative[],
    { spot, pair }: PlacedPair,
  ): void {
    // The types differ, which was found before.
    if (theirs.length === 0 || ours.length === 0) return
    const names = { theirs: this.#theirs, ours: this.#ours }
    const { pairs, added, removed } = pairsOf(theirs, ours, names)
    const isOneOfMany = theirs.length > 1 || ours.length > 1
    const labels = isOneOfMany
      ? new Map([...labelsOf(theirs, this.#theirs), ...labelsOf(ours, this.#ours)])
      : undefined
    const at = (alternative: Alternative): Spot => {
      const label = labels?.get(alternative)
      return label === undefined ? spot : { ...spot, path: `${spot.path}${label}` }
    }
    for (const each of added) this.add(at(each), alternativeFinding(spot.side, 'added'), pair)
    for (const each of removed) this.add(at(each), alternativeFinding(spot.side, 'removed'), pair)
    for (const [service, emulator] of pairs) {
      const here = at(emulator)
      this.#compareLimits(service, emulator, { spot: here, pair })
      this.#compareValues(service, emulator, { spot: here, pair })
      if (service.type === 'array') {
        const path = `${here.path}[]`
        this.compare({ theirs: service.items, ours: emulator.items }, { ...here, path })
      } else {
        this.#compareObjects(service, emulator, { spot: here, pair })
      }
    }
  }

  #compareObjects(theirs: Alternative, ours: Alternative, { spot, pair }: PlacedPair): void {
    const isFree = { theirs: isFreeForm(theirs), ours: isFreeForm(ours) }
    const named = isFree.theirs ? ours : theirs
    if (isFree.theirs !== isFree.ours && named.properties.size > 0)
      return this.add(spot, freeFormFinding(spot.side, isFree.theirs), pair)
    const names = new Set([...ours.properties.keys(), ...theirs.properties.keys()])
    for (const name of names) {
      const path = spot.path === '' ? fieldText(name) : `${spot.path}.${fieldText(name)}`
      const property = { theirs: theirs.properties.get(name), ours: ours.properties.get(name) }
      const needs = { theirs: theirs.required.has(name), ours: ours.required.has(name) }
      this.#compareProperty(property, needs, { spot: { ...spot, path }, pair })
    }
    this.#compareAdditional(theirs, ours, { spot, pair })
  }

  #compareProperty(property: Pair, needs: Needs, { spot, pair }: PlacedPair): void {
    const { side } = spot
    const has = {
      theirs: this.#isUsed(property.theirs, this.#theirs, side),
      ours: this.#isUsed(property.ours, this.#ours, side),
    }
    if (has.theirs && !has.ours) return this.add(spot, addedField(side, needs.theirs), pair)
    if (!has.theirs && has.ours) return this.add(spot, removedField(side), pair)
    if (!has.theirs) return
    if (needs.theirs !== needs.ours) this.add(spot, requiredFinding(side, needs.theirs), pair)
    this.compareAnnotations(property, spot, pair)
    this.compare(property, spot)
  }

  /** Whether a side uses a property: a client does not send one that is only read. */
  #isUsed(property: unknown, schemas: Schemas, side: Side): boolean {
    if (property === undefined) return false
    const key = side === 'request' ? 'readOnly' : 'writeOnly'
    return schemas.annotation(property, key) !== true
  }

  /** Compares what stands beside the type: the default, whether it is deprecated, and words. */
  compareAnnotations(property: Pair, spot: Spot, pair: Pair): void {
    const of = (key: string): [unknown, unknown] => [
      this.#theirs.annotation(property.theirs, key),
      this.#ours.annotation(property.ours, key),
    ]
    const [service, emulator] = of('default')
    if (JSON.stringify(service) !== JSON.stringify(emulator)) {
      this.add(spot, defaultFinding(spot.side, service, emulator), pair)
    }
    const [old, stillFine] = of('deprecated')
    if ((old === true) !== (stillFine === true)) {
      this.add(spot, deprecatedFinding(spot.side, old === true), pair)
    }
    for (const key of WORDS) {
      const [theirs, ours] = of(key)
      if (JSON.stringify(theirs) !== JSON.stringify(ours))
        this.add(spot, wordsFinding(key, theirs, ours), pair)
    }
  }

  #compareAdditional(theirs: Alternative, ours: Alternative, { spot, pair }: PlacedPair): void {
    const [service, emulator] = [theirs.additional, ours.additional]
    const path = spot.path === '' ? '*' : `${spot.path}.*`
    if (service === emulator) return
    if (isRecord(service) && isRecord(emulator)) {
      return this.compare({ theirs: service, ours: emulator }, { ...spot, path })
    }
    const relation = additionalRelation(service, emulator)
    const text = (value: unknown): string => {
      if (value === true) return 'any'
      return value === false ? 'none' : 'those of one type'
    }
    this.add(
      { ...spot, path },
      {
        kind: 'other-fields-changed',
        severity: severityOf(spot.side, relation),
        what: `fields without a name: the service has ${text(service)}, the emulator ${text(emulator)}`,
        who: clientsThat(spot.side, 'other fields'),
      },
      pair,
    )
  }
}

interface Forms {
  readonly theirs: readonly Alternative[]
  readonly ours: readonly Alternative[]
}

interface PlacedPair {
  readonly spot: Spot
  readonly pair: Pair
}

interface Needs {
  readonly theirs: boolean
  readonly ours: boolean
}

const SCALARS = ['null', 'boolean', 'integer', 'number', 'string'] as const

function ofType(alternatives: readonly Alternative[], type: TypeName): Alternative[] {
  return alternatives.filter((each) => each.type === type)
}

function typesOf(alternatives: readonly Alternative[]): Set<TypeName> {
  const types = new Set(alternatives.map(({ type }) => type))
  return types.has('any') ? new Set<TypeName>(['any']) : types
}

function accepts(types: ReadonlySet<TypeName>, type: TypeName): boolean {
  return types.has(type) || types.has('any') || (type === 'integer' && types.has('number'))
}

function typeText(types: ReadonlySet<TypeName>): string {
  return types.size === 0 ? 'no value' : [...types].sort().join(' or ')
}

/** All forms of one scalar type as one. Undefined: there is none. */
function scalarOf(alternatives: readonly Alternative[], type: TypeName): Alternative | undefined {
  const all = ofType(alternatives, type)
  const [first, ...others] = all
  if (!first || others.length === 0) return first
  if (all.every(({ values }) => values !== undefined)) {
    const values = new Map(
      all.flatMap((each) => each.values!.map((value) => [JSON.stringify(value), value])),
    )
    return { ...first, values: [...values.values()] }
  }
  // A form without a list contains those with one.
  const open = all.filter(({ values }) => values === undefined)
  const texts = [...new Set(open.map(({ limits }) => JSON.stringify(limits)))].sort()
  return texts.length === 1 ? open[0] : { ...open[0]!, limits: { forms: texts.join(' or ') } }
}

/** `minLength` → `min-length` */
function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function relationOf(key: string, service: unknown, emulator: unknown): Relation {
  if (service === undefined) return 'wider'
  if (emulator === undefined) return 'narrower'
  if (typeof service !== 'number' || typeof emulator !== 'number') return 'other'
  if (isLowerBound(key)) return service > emulator ? 'narrower' : 'wider'
  if (isUpperBound(key)) return service < emulator ? 'narrower' : 'wider'
  return 'other'
}

function additionalRelation(service: unknown, emulator: unknown): Relation {
  if (service === false || emulator === true) return 'narrower'
  return emulator === false || service === true ? 'wider' : 'other'
}

/** Whether any fields are taken, and none has a name. */
function isFreeForm({ properties, additional }: Alternative): boolean {
  return properties.size === 0 && additional === true
}

function freeFormFinding(side: Side, isService: boolean): Finding {
  const [free, listed] = isService ? ['service', 'emulator'] : ['emulator', 'service']
  return {
    kind: isService ? 'free-form-added' : 'free-form-removed',
    severity: severityOf(side, isService ? 'wider' : 'narrower'),
    what: `the ${free} has any fields, the ${listed} a list of fields`,
    who: clientsThat(side),
  }
}

/** A field in a place. One with special characters is quoted. */
function fieldText(name: string): string {
  return /^[\w$/-]+$/.test(name) ? name : JSON.stringify(name)
}

function nullFinding(side: Side, added: boolean): Finding {
  return {
    kind: added ? 'null-added' : 'null-removed',
    severity: severityOf(side, added ? 'wider' : 'narrower'),
    what: added
      ? 'it may be null in the service, and not in the emulator'
      : 'it may be null in the emulator, and not in the service',
    who:
      side === 'request'
        ? 'clients that send null'
        : 'clients that read it without a check for null',
  }
}

function addedField(side: Side, required: boolean): Finding {
  if (side === 'response') {
    return {
      kind: 'field-added',
      severity: 'additive',
      what: 'the service returns it, the emulator does not',
      who: clientsThat(side),
    }
  }
  return required
    ? {
        kind: 'field-added',
        severity: 'breaking',
        what: 'the service requires it, the emulator does not know it',
        who: 'clients that do not send it',
      }
    : {
        kind: 'field-added',
        severity: 'additive',
        what: 'the service takes it, the emulator does not know it',
        who: clientsThat(side),
      }
}

function removedField(side: Side): Finding {
  const verb = side === 'request' ? 'takes' : 'returns'
  return {
    kind: 'field-removed',
    severity: 'breaking',
    what: `the emulator ${verb} it, the service does not`,
    who: clientsThat(side),
  }
}

function requiredFinding(side: Side, added: boolean): Finding {
  const isRequest = side === 'request'
  return {
    kind: added ? 'required-added' : 'required-removed',
    // A required field of a response is a narrower response.
    severity: severityOf(side, added ? 'narrower' : 'wider'),
    what: added
      ? `the service ${isRequest ? 'requires' : 'always returns'} it, in the emulator it is optional`
      : `the emulator ${isRequest ? 'requires' : 'always returns'} it, in the service it is optional`,
    who: isRequest ? 'clients that leave it out' : 'clients that read it without a check',
  }
}

function defaultFinding(side: Side, service: unknown, emulator: unknown): Finding {
  const inRequest = service !== undefined && emulator !== undefined ? 'breaking' : 'additive'
  const text = (value: unknown): string => (value === undefined ? 'none' : shortText(value))
  return {
    kind: 'default-changed',
    severity: side === 'response' ? 'cosmetic' : inRequest,
    what: `the service has the default ${text(service)}, the emulator ${text(emulator)}`,
    who: 'clients that leave it out',
  }
}

function deprecatedFinding(side: Side, added: boolean): Finding {
  return {
    kind: added ? 'deprecated-added' : 'deprecated-removed',
    severity: 'additive',
    what: `it is deprecated in the ${added ? 'service' : 'emulator'}`,
    who: clientsThat(side),
  }
}

export function wordsFinding(key: string, theirs: unknown, ours: unknown): Finding {
  return {
    kind: `${kebab(key.replace('$', ''))}-changed`,
    severity: 'cosmetic',
    what: `the service has ${shortText(theirs)}, the emulator ${shortText(ours)}`,
    who: 'readers of the document',
  }
}

function alternativeFinding(side: Side, how: 'added' | 'removed'): Finding {
  return {
    kind: `form-${how}`,
    severity: severityOf(side, how === 'added' ? 'wider' : 'narrower'),
    what: `only the ${how === 'added' ? 'service' : 'emulator'} has this form`,
    who: clientsThat(side),
  }
}
