import { isRecord } from '../../service/contract/pydantic/record.js'
import { catalog, type KnownGroup } from './catalog.js'
import type { CoverageTally, OperationUse } from './recorder.js'
import { suggestionFor, type Suggestion } from './suggestions.js'

/** A behavior of the service, and how often a client met it. */
export interface CoveredBehavior {
  /** Unique in the report, such as `createModel/429`. */
  readonly id: string
  /** In words: `429 Too Many Requests`. */
  readonly text: string
  /** How often it was met. */
  readonly count: number
  /** What closes the gap. Null if there is none: it was met. */
  readonly suggestion: Suggestion | null
}

/** The behaviors of one operation, or of jobs, events, metrics, pages, streams or webhooks. */
export interface CoverageGroup {
  /** The id of the operation, or a name such as `RL jobs`. */
  readonly name: string
  /** What it is about. */
  readonly kind: KnownGroup['kind']
  /** How many behaviors were met. */
  readonly met: number
  /** How many behaviors there are. */
  readonly total: number
  /** All of them, met or not. */
  readonly behaviors: readonly CoveredBehavior[]
}

/** A part of the service that the client does not use. */
export interface UnusedGroup {
  /** The id of the operation, or a name such as `SFT jobs`. */
  readonly name: string
  /** What it is about. */
  readonly kind: KnownGroup['kind']
  /** How many behaviors it has. */
  readonly total: number
}

/** Which behaviors of the service clients have met. */
export interface CoverageReport {
  /** The version of this form. */
  readonly version: 1
  /** How many behaviors were met, in the parts of the service that clients use. */
  readonly met: number
  /** How many behaviors these parts have. */
  readonly total: number
  /** How many operations clients use. */
  readonly used: number
  /** How many operations the service has. */
  readonly operations: number
  /** The parts that clients use. */
  readonly groups: readonly CoverageGroup[]
  /** The parts that they do not use. */
  readonly unused: readonly UnusedGroup[]
  /** How clients use each operation, by its id. Reports are merged by it. */
  readonly uses: Readonly<Record<string, OperationUse>>
}

/** Makes the report of what was counted. */
export function coverageReport(tally: CoverageTally): CoverageReport {
  const groups = catalog.filter(({ isUsed }) => isUsed(tally)).map((group) => groupOf(group, tally))
  const unused = catalog
    .filter(({ isUsed }) => !isUsed(tally))
    .map(({ name, kind, behaviors }) => ({ name, kind, total: behaviors.length }))
  return {
    version: 1,
    met: sum(groups, ({ met }) => met),
    total: sum(groups, ({ total }) => total),
    used: groups.filter(isOperation).length,
    operations: catalog.filter(isOperation).length,
    groups,
    unused,
    uses: tally.operations,
  }
}

function isOperation({ kind }: { readonly kind: string }): boolean {
  return kind === 'operation'
}

function groupOf(
  { name, kind, behaviors: known }: KnownGroup,
  tally: CoverageTally,
): CoverageGroup {
  const behaviors = known.map(({ id, text }): CoveredBehavior => {
    const { [id]: count = 0 } = tally.counts
    return { id, text, count, suggestion: count > 0 ? null : suggestionFor(id, tally) }
  })
  const met = behaviors.filter(({ count }) => count > 0).length
  return { name, kind, met, total: behaviors.length, behaviors }
}

/**
 * Adds up reports, such as those of several tests or machines.
 *
 * @throws {TypeError} When a report has another form.
 * @example
 * const first = await emulator.coverage()
 * const { met, total } = mergeCoverage([first, first])
 */
export function mergeCoverage(reports: Iterable<CoverageReport>): CoverageReport {
  return coverageReport(mergeTallies(Array.from(reports, tallyOf)))
}

/** Adds up what was counted. */
export function mergeTallies(tallies: Iterable<CoverageTally>): CoverageTally {
  const counts: Record<string, number> = {}
  const operations: Record<string, OperationUse> = {}
  for (const tally of tallies) {
    for (const [id, count] of Object.entries(tally.counts)) counts[id] = (counts[id] ?? 0) + count
    for (const [name, { calls, most, bursts }] of Object.entries(tally.operations)) {
      const before = operations[name] ?? { calls: 0, most: 0, bursts: 0 }
      operations[name] = {
        calls: before.calls + calls,
        most: Math.max(before.most, most),
        bursts: before.bursts + bursts,
      }
    }
  }
  return { counts, operations }
}

/**
 * Returns what a report counted. A tally is returned as it is.
 *
 * @throws {TypeError} When the value is neither a report nor a tally.
 */
export function tallyOf(value: unknown): CoverageTally {
  const { version, groups, uses, counts, operations } = Object(value) as Partial<
    CoverageReport & CoverageTally
  >
  if (isRecord(counts) && isRecord(operations)) return { counts, operations }
  if (version !== 1 || !Array.isArray(groups) || !isRecord(uses)) {
    throw new TypeError('This is not a coverage report of svtrain-emulator.')
  }
  const met = (groups as CoverageReport['groups']).flatMap(({ behaviors }) => {
    return behaviors.filter(({ count }) => count > 0)
  })
  return {
    counts: Object.fromEntries(met.map(({ id, count }) => [id, count])),
    operations: uses,
  }
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
