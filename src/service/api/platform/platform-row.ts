import { anything } from '../../contract/pydantic/scalars.js'
import type { Schema } from '../../contract/pydantic/schema.js'
import type { RecordChange } from '../../engine/journal-entry.js'
import { describeChange } from '../../platform/describe-change.js'
import type { PlatformChange } from '../../platform/platform-change.js'
import { PlatformError, type PlatformProblem } from '../../platform/platform-error.js'
import { operation, type ApiRow, type Call, type Operation } from '../operation.js'
import { Reply, type JsonValue, type ResultOf } from '../result.js'
import { PLATFORM_TAG } from '../tags.js'

/** A row that no document lists. The schema of GraphQL has its types, and the other rows have nothing that a client reads. */
export function platformRow<Path>(row: PlatformRow<Path>): Operation {
  const response = anything as Schema<JsonValue>
  return operation({ host: 'training', tag: PLATFORM_TAG, response, unlisted: true, ...row })
}

/** A row whose work the platform may refuse. */
export function refusableRow<Path>(row: PlatformRow<Path>): Operation {
  return platformRow<Path>({
    ...row,
    run(call) {
      try {
        return observed(call, () => row.run(call))
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error
        return refuse(call, error.message, error.problem)
      }
    },
  })
}

type PlatformRow<Path> = Omit<
  ApiRow<Path, unknown, unknown, JsonValue, ResultOf<JsonValue>>,
  'host' | 'tag' | 'response' | 'unlisted'
>

export type AnyCall = Call<unknown, unknown, unknown>

/** Does something, and notes in the journal what it changes. */
export function observed<Result>({ engine, entry }: AnyCall, work: () => Result): Result {
  const end = engine.platformWithCheckpoints().subscribe((change) => {
    entry.effects.push(describeChange(change))
    entry.changes = [...entry.changes, { type: change.type, ...subjectOf(change) }]
  })
  try {
    return work()
  } finally {
    end()
  }
}

function subjectOf(change: PlatformChange): Pick<RecordChange, 'of'> {
  if ('run' in change) return { of: change.run.path }
  return 'artifact' in change ? { of: change.artifact.id } : {}
}

/** Answers why a call is refused in the form of GraphQL, and notes it in the journal. */
export function refuse({ entry }: AnyCall, message: string, problem: PlatformProblem): Reply {
  entry.detail = message
  return new Reply(STATUSES[problem], { errors: [{ message }] })
}

/** The HTTP status of each problem. */
export const STATUSES: Readonly<Record<PlatformProblem, number>> = {
  invalid: 400,
  'not-found': 404,
  conflict: 409,
  lost: 410,
  limit: 413,
  // 507 says it better, but clients try each 5xx again, for minutes.
  disk: 413,
}
