import type { Operation } from '../../src/service/api/operation.js'
import { operationsIn } from '../../src/service/api/table.js'
import { validate } from '../../src/service/contract/pydantic/validate.js'
import type { ContractVersion } from '../../src/service/contract/versions.js'
import type { RequestEntry } from '../../src/service/engine/journal-entry.js'
import type { Emulator } from '../../src/index.js'

type Observed = Pick<Emulator, 'contract' | 'journal'>

/** Whether the journal of an emulator is in this process. */
export function isInProcess<Target extends object>(target: Target): target is Target & Observed {
  return 'contract' in target && 'journal' in target
}

/** A request that a test is about to make of an emulator. */
export interface Asked {
  readonly emulator: Observed
  /** The id of the last journal entry before it. */
  readonly after: number
  readonly method: string
  readonly path: string
}

/** Remembers where the journal is before a request. */
export function asking(emulator: Observed, method: string, path: string): Asked {
  return { emulator, after: emulator.journal.nextId - 1, method, path }
}

/**
 * Compares an answer with 200 with the schema of its row, in the contract of the emulator. It checks no answer that a
 * fault may have changed, nor one whose request is not in the journal, as in another world.
 *
 * @throws {Error} With the operation, the place in the answer, and the value.
 */
export function checkAnswer({ emulator, after, method, path }: Asked, body: unknown): void {
  const entries = emulator.journal.entriesAfter(after).filter((entry) => {
    return entry.kind === 'request' && entry.method === method && entry.path === path
  }) as RequestEntry[]
  if (entries.some(({ faults }) => faults.length > 0)) return
  const row = rowsOf(emulator.contract).get(entries[0]?.operation)
  if (row) expectDeclared(row, body)
}

const rows = new Map<ContractVersion, ReadonlyMap<string | undefined, Operation>>()

/** The rows of a contract by id. They are found once, because a test may make thousands of calls. */
function rowsOf(version: ContractVersion): ReadonlyMap<string | undefined, Operation> {
  const known = rows.get(version) ?? new Map(operationsIn(version).map((row) => [row.id, row]))
  rows.set(version, known)
  return known
}

/** @throws {Error} If the answer does not have exactly what the schema of the row has. */
export function expectDeclared({ id, response }: Operation, body: unknown): void {
  const read = validate<unknown>(response, body, [])
  const [problem] = read.ok ? differences(read.value, body, []) : read.problems
  if (!problem) return
  const { loc, msg, input } = problem
  const place = loc.length > 0 ? loc.join('.') : 'the whole answer'
  throw new Error(
    `The answer of ${id} is not what its schema in src/service/contract/ declares. ` +
      `${place}: ${msg}, got ${JSON.stringify(input)}`,
  )
}

interface Difference {
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly input: unknown
}

/** What the schema left out or converted. */
function* differences(
  read: unknown,
  given: unknown,
  loc: readonly (string | number)[],
): Generator<Difference> {
  if (read === given) return
  if (Object(read) !== read || Object(given) !== given) {
    yield { loc, msg: `expected ${JSON.stringify(read)}`, input: given }
    return
  }
  for (const [key, value] of Object.entries(given as object)) {
    const at = [...loc, key]
    if (Object.hasOwn(read as object, key)) {
      yield* differences((read as Record<string, unknown>)[key], value, at)
    } else yield { loc: at, msg: 'the schema does not have it', input: value }
  }
  for (const [key, value] of Object.entries(read as object)) {
    if (Object.hasOwn(given as object, key)) continue
    yield { loc: [...loc, key], msg: `expected ${JSON.stringify(value)}`, input: undefined }
  }
}
