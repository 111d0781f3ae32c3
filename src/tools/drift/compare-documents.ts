import { isRecord } from '../../service/contract/pydantic/record.js'
import { listIn, objectIn, type JsonObject } from './document.js'
import type { Difference } from './difference.js'
import { SchemaComparison, wordsFinding, type Spot } from './compare-schemas.js'
import { Schemas } from './schemas.js'

/** Two documents that are compared. */
export interface DocumentPair {
  /** The document of the service. */
  readonly theirs: JsonObject
  /** The document of the emulator. */
  readonly ours: JsonObject
  /** How messages name the document of the service. */
  readonly label: string
}

/** The result of a comparison. */
export interface Comparison {
  readonly differences: readonly Difference[]
  /** How many operations both documents have. */
  readonly shared: number
}

/**
 * Compares the document of the service with that of the emulator.
 *
 * @throws {DriftError} When a document has references that lead nowhere, or schemas without an end.
 * @example
 * const { differences } = compareDocuments({ theirs, ours: describeApi(operations, 'training'), label: 'openapi.json' })
 */
export function compareDocuments({ theirs, ours, label }: DocumentPair): Comparison {
  return new DocumentComparison({ theirs, ours, label }).run()
}

/** How many operations two documents have in common. */
export function sharedOperations(theirs: JsonObject, ours: JsonObject, label: string): number {
  const known = operationsOf(ours, new Schemas(ours, 'The document of the emulator'), '')
  const prefix = prefixOf(theirs, known)
  const found = operationsOf(theirs, new Schemas(theirs, label), prefix)
  return [...found.keys()].filter((key) => known.has(key)).length
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

interface Operation {
  readonly method: string
  readonly path: string
  readonly item: JsonObject
  readonly operation: JsonObject
}

/** The operations of a document by method and path, where the names of path parameters do not matter. */
function operationsOf(
  document: JsonObject,
  { references }: Schemas,
  prefix: string,
): Map<string, Operation> {
  const operations = new Map<string, Operation>()
  for (const [written, found] of Object.entries(objectIn(document['paths']))) {
    const item = objectIn(references.follow(found))
    const path = prefix + written
    for (const name of METHODS) {
      const operation = references.follow(item[name])
      if (!isRecord(operation)) continue
      const method = name.toUpperCase()
      operations.set(`${method} ${path.replaceAll(/\{[^}]*\}/g, '{}')}`, {
        method,
        path,
        item,
        operation,
      })
    }
  }
  return operations
}

/** The path of the first server, if the operations of the emulator begin with it. */
function prefixOf({ servers, paths }: JsonObject, ours: ReadonlyMap<string, unknown>): string {
  const { url } = objectIn(listIn(servers)[0])
  if (typeof url !== 'string' || !URL.canParse(url, 'http://service.test')) return ''
  const prefix = new URL(url, 'http://service.test').pathname.replace(/\/+$/, '')
  if (prefix === '') return ''
  const common = (start: string): number =>
    Object.keys(objectIn(paths)).filter((path) => {
      const plain = (start + path).replaceAll(/\{[^}]*\}/g, '{}')
      return METHODS.some((method) => ours.has(`${method.toUpperCase()} ${plain}`))
    }).length
  return common(prefix) > common('') ? prefix : ''
}

class DocumentComparison {
  readonly #theirs: Schemas
  readonly #ours: Schemas
  readonly #documents: DocumentPair
  readonly #schemas: SchemaComparison

  constructor(documents: DocumentPair) {
    this.#documents = documents
    this.#theirs = new Schemas(documents.theirs, documents.label)
    this.#ours = new Schemas(documents.ours, 'The document of the emulator')
    this.#schemas = new SchemaComparison(this.#theirs, this.#ours)
  }

  run(): Comparison {
    const { theirs, ours } = this.#documents
    const emulator = operationsOf(ours, this.#ours, '')
    const service = operationsOf(theirs, this.#theirs, prefixOf(theirs, emulator))
    let shared = 0
    for (const [key, operation] of emulator) {
      const other = service.get(key)
      if (other) {
        shared++
        this.#compareOperation(other, operation)
      } else {
        this.#add(operation, '', {
          kind: 'operation-removed',
          severity: 'breaking',
          what: 'only the emulator has this operation',
          who: 'clients that call it',
        })
      }
    }
    for (const [key, operation] of service) {
      if (emulator.has(key)) continue
      this.#add(operation, '', {
        kind: 'operation-added',
        severity: 'additive',
        what: 'only the service has this operation',
        who: 'clients that call it',
      })
    }
    return { differences: this.#schemas.differences, shared }
  }

  #add({ method, path }: Operation, part: string, finding: Finding): void {
    this.#schemas.add({ side: 'request', root: `${method} ${path}`, path: part }, finding)
  }

  #compareOperation(theirs: Operation, ours: Operation): void {
    this.#compareKeys(theirs, ours)
    this.#compareWords(theirs, ours)
    this.#compareParameters(theirs, ours)
    this.#compareBodies(theirs, ours)
    this.#compareResponses(theirs, ours)
  }

  #compareKeys(theirs: Operation, ours: Operation): void {
    const [service, emulator] = [
      needsKey(theirs.operation, this.#documents.theirs),
      needsKey(ours.operation, this.#documents.ours),
    ]
    if (service === emulator) return
    this.#add(ours, 'key', {
      kind: service ? 'key-required' : 'key-not-required',
      severity: service ? 'breaking' : 'additive',
      what: service
        ? 'the service requires a key, the emulator does not'
        : 'the emulator requires a key, the service does not document one',
      who: 'clients that send no key',
    })
  }

  #compareWords(theirs: Operation, ours: Operation): void {
    const [service, emulator] = [theirs.operation, ours.operation]
    for (const key of ['operationId', 'summary', 'description', 'tags']) {
      if (JSON.stringify(service[key]) === JSON.stringify(emulator[key])) continue
      const finding = wordsFinding(key, service[key], emulator[key])
      this.#add(ours, '', {
        ...finding,
        kind: `${key === 'operationId' ? 'operation-id' : key}-changed`,
      })
    }
    if ((service['deprecated'] === true) === (emulator['deprecated'] === true)) return
    const isOld = service['deprecated'] === true
    this.#add(ours, '', {
      kind: isOld ? 'deprecated-added' : 'deprecated-removed',
      severity: 'additive',
      what: `it is deprecated in the ${isOld ? 'service' : 'emulator'}`,
      who: 'clients that call it',
    })
  }

  #compareParameters(theirs: Operation, ours: Operation): void {
    const service = parametersOf(theirs, this.#theirs)
    const emulator = parametersOf(ours, this.#ours)
    for (const key of new Set([...emulator.keys(), ...service.keys()])) {
      const [parameter, other] = [service.get(key), emulator.get(key)]
      const { in: place, name } = (other ?? parameter)!
      const part = `${String(place)} ${String(name)}`
      if (!other) this.#add(ours, part, addedParameter(parameter!['required'] === true))
      else if (!parameter) this.#add(ours, part, REMOVED_PARAMETER)
      else this.#compareParameter(parameter, other, rootOf(ours, part))
    }
  }

  #compareParameter(theirs: JsonObject, ours: JsonObject, root: string): void {
    const spot: Spot = { side: 'request', root, path: '' }
    const required = theirs['required'] === true
    if (required !== (ours['required'] === true)) {
      this.#schemas.add(spot, requiredPart(required))
    }
    const pair = { theirs: schemaOfParameter(theirs), ours: schemaOfParameter(ours) }
    this.#schemas.compareAnnotations(pair, spot, pair)
    this.#schemas.compare(pair, spot)
  }

  #compareBodies(theirs: Operation, ours: Operation): void {
    const service = this.#theirs.references.follow(theirs.operation['requestBody'])
    const emulator = this.#ours.references.follow(ours.operation['requestBody'])
    if (isRecord(service) && isRecord(emulator)) {
      const required = service['required'] === true
      if (required !== (emulator['required'] === true)) {
        this.#add(ours, 'request', requiredPart(required))
      }
      this.#compareContents({ theirs: service, ours: emulator }, 'request', rootOf(ours, 'request'))
    } else if (isRecord(service)) {
      const required = service['required'] === true
      this.#add(ours, 'request', {
        kind: 'body-added',
        severity: required ? 'breaking' : 'additive',
        what: `the service ${required ? 'requires' : 'takes'} a body, the emulator takes none`,
        who: required ? 'clients that send none' : 'clients that send one',
      })
    } else if (isRecord(emulator)) {
      this.#add(ours, 'request', {
        kind: 'body-removed',
        severity: 'breaking',
        what: 'the emulator takes a body, the service takes none',
        who: 'clients that send one',
      })
    }
  }

  #compareContents(
    { theirs, ours }: { theirs: JsonObject; ours: JsonObject },
    side: 'request' | 'response',
    root: string,
  ): void {
    const [service, emulator] = [contentsOf(theirs), contentsOf(ours)]
    for (const type of new Set([...emulator.keys(), ...service.keys()])) {
      const spot: Spot = { side, root: isPlainJson(type) ? root : `${root} (${type})`, path: '' }
      const [media, other] = [service.get(type), emulator.get(type)]
      if (media && other) {
        const pair = { theirs: media['schema'] ?? true, ours: other['schema'] ?? true }
        this.#schemas.compare(pair, spot)
        continue
      }
      const added = media !== undefined
      this.#schemas.add(spot, {
        kind: added ? 'content-type-added' : 'content-type-removed',
        severity: added ? 'additive' : 'breaking',
        what: `only the ${added ? 'service' : 'emulator'} has the content type ${type}`,
        who: `clients that ${side === 'request' ? 'send' : 'read'} ${type}`,
      })
    }
  }

  #compareResponses(theirs: Operation, ours: Operation): void {
    const service = objectIn(theirs.operation['responses'])
    const emulator = objectIn(ours.operation['responses'])
    const covered = new Set<string>()
    for (const [status, response] of Object.entries(emulator)) {
      const key = [status, `${status[0]}XX`, 'default'].find((each) => each in service)
      const part = `response ${status}`
      if (key === undefined) {
        this.#add(ours, part, removedStatus(status))
        continue
      }
      covered.add(key)
      const pair = {
        theirs: objectIn(this.#theirs.references.follow(service[key])),
        ours: objectIn(this.#ours.references.follow(response)),
      }
      this.#compareHeaders(pair, rootOf(ours, part))
      this.#compareContents(pair, 'response', rootOf(ours, part))
    }
    for (const status of Object.keys(service)) {
      if (covered.has(status) || status === 'default' || status.startsWith('x-')) continue
      this.#add(ours, `response ${status}`, addedStatus(status))
    }
  }

  #compareHeaders({ theirs, ours }: { theirs: JsonObject; ours: JsonObject }, root: string): void {
    const names = (response: JsonObject): string[] =>
      Object.keys(objectIn(response['headers'])).map((name) => name.toLowerCase())
    const [service, emulator] = [names(theirs), names(ours)]
    for (const name of new Set([...service, ...emulator])) {
      const added = service.includes(name)
      if (added === emulator.includes(name)) continue
      this.#schemas.add(
        { side: 'response', root: `${root} → header ${name}`, path: '' },
        {
          kind: added ? 'header-added' : 'header-removed',
          severity: added ? 'additive' : 'breaking',
          what: `only the ${added ? 'service' : 'emulator'} documents it`,
          who: 'clients that read it',
        },
      )
    }
  }
}

type Finding = Parameters<SchemaComparison['add']>[1]

function rootOf({ method, path }: Operation, part: string): string {
  return `${method} ${path} → ${part}`
}

function needsKey({ security }: JsonObject, document: JsonObject): boolean {
  const rules = listIn(security ?? document['security'])
  return rules.length > 0 && rules.every((rule) => Object.keys(objectIn(rule)).length > 0)
}

/** The parameters of an operation. Those of a path are named by their place, others by their name. */
function parametersOf(
  { path, item, operation }: Operation,
  { references }: Schemas,
): Map<string, JsonObject> {
  const parameters = new Map<string, JsonObject>()
  const places = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name)
  for (const written of [...listIn(item['parameters']), ...listIn(operation['parameters'])]) {
    const parameter = objectIn(references.follow(written))
    const { in: place, name } = parameter
    const isHeader = place === 'header'
    const plain = isHeader ? String(name).toLowerCase() : String(name)
    if (isHeader && NOT_PARAMETERS.has(plain)) continue
    const index = place === 'path' ? places.indexOf(plain) : -1
    parameters.set(`${String(place)} ${index === -1 ? plain : index}`, parameter)
  }
  return parameters
}

/** OpenAPI ignores header parameters with these names. */
const NOT_PARAMETERS = new Set(['accept', 'content-type', 'authorization'])

function schemaOfParameter({ schema, content }: JsonObject): unknown {
  if (schema !== undefined) return schema
  const [media] = Object.values(objectIn(content))
  return objectIn(media)['schema'] ?? true
}

/** The contents of a body by their content type, without parameters. */
function contentsOf({ content }: JsonObject): Map<string, JsonObject> {
  return new Map(
    Object.entries(objectIn(content)).map(([type, media]) => [
      type.split(';')[0]!.trim().toLowerCase(),
      objectIn(media),
    ]),
  )
}

function isPlainJson(type: string): boolean {
  return type === 'application/json'
}

function addedParameter(required: boolean): Finding {
  return {
    kind: 'parameter-added',
    severity: required ? 'breaking' : 'additive',
    what: `the service ${required ? 'requires' : 'takes'} it, the emulator does not know it`,
    who: required ? 'clients that do not send it' : 'clients that send it',
  }
}

const REMOVED_PARAMETER: Finding = {
  kind: 'parameter-removed',
  severity: 'breaking',
  what: 'the emulator takes it, the service does not',
  who: 'clients that send it',
}

function requiredPart(added: boolean): Finding {
  return {
    kind: added ? 'required-added' : 'required-removed',
    severity: added ? 'breaking' : 'additive',
    what: added
      ? 'the service requires it, in the emulator it is optional'
      : 'the emulator requires it, in the service it is optional',
    who: 'clients that leave it out',
  }
}

function isRefusal(status: string): boolean {
  return /^[45]/.test(status)
}

/** Documents often leave out refusals that the service has. */
function removedStatus(status: string): Finding {
  return {
    kind: 'status-removed',
    severity: isRefusal(status) ? 'cosmetic' : 'breaking',
    what: 'the emulator documents this status, the service does not',
    who: `clients that handle ${status}`,
  }
}

function addedStatus(status: string): Finding {
  return {
    kind: 'status-added',
    severity: isRefusal(status) ? 'additive' : 'breaking',
    what: 'the service documents this status, the emulator does not',
    who: `clients that handle ${status}`,
  }
}
