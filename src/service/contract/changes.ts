import { anything, boolean, number, string } from './pydantic/scalars.js'
import { dictionary, nullable } from './pydantic/containers.js'
import {
  asField,
  assumed,
  optional,
  required,
  type AnyField,
  type Field,
  type Fields,
  type Presence,
} from './pydantic/fields.js'
import { integer } from './pydantic/integer.js'
import { union } from './pydantic/union.js'
import type { ContractVersion } from './versions.js'

/** A field of a request or of an answer that a contract changed. */
export interface ContractChange {
  /** The contract that brought the change. Older ones have the field as it was before. */
  readonly since: ContractVersion
  /** The type of the record, as in the OpenAPI document. */
  readonly type: string
  readonly field: string
  /** Its path in a request or an answer, such as `trajectory_groups[].logs`. */
  readonly path: string
  /** Whether it is a field of answers. Default: of requests. */
  readonly inAnswers?: true
  /** What it could have before, in words. */
  readonly before: string
  /** What it can have since then, in words. */
  readonly after: string
  /** Who says so, in the words of the table of sources. */
  readonly source: 'documentation' | 'client' | 'documentation and client'
  /**
   * Makes the field of before from that of now. Undefined: the field did not exist. A request that has it is accepted,
   * and an answer does not have it.
   */
  readonly older: ((field: Field<unknown, Presence>) => AnyField) | undefined
}

/** A field of requests that did not exist before. */
const ADDED = {
  since: '2026-11',
  before: 'does not exist, and is ignored',
  source: 'documentation and client',
  older: undefined,
} as const

/**
 * What the newer contracts changed. The fields of the schemas are those of the newest contract, and `fieldsIn` undoes
 * these changes for an older one. All rows come from docs/explain/contract.md#choose-the-version-of-the-contract.
 */
export const contractChanges: readonly ContractChange[] = [
  {
    since: '2026-11',
    type: 'TrajectoryGroup',
    field: 'trajectories',
    path: 'trajectory_groups[].trajectories',
    before: 'is required',
    after: 'can be left out',
    source: 'client',
    older: ({ schema }) => required(schema),
  },
  {
    since: '2026-11',
    type: 'Trajectory',
    field: 'metadata',
    path: 'trajectory_groups[].trajectories[].metadata',
    before: 'has texts, numbers, booleans and nulls',
    after: 'has any JSON',
    source: 'client',
    older: () =>
      assumed(dictionary(nullable(union([number, integer, string, boolean]))), () => ({})),
  },
  {
    ...ADDED,
    type: 'Trajectory',
    field: 'exchanges',
    path: 'trajectory_groups[].trajectories[].exchanges',
    after: 'is an object with captured calls',
  },
  {
    ...ADDED,
    type: 'TrajectoryGroup',
    field: 'exceptions',
    path: 'trajectory_groups[].exceptions',
    after: 'is a list of `{type, message, traceback}`',
  },
  {
    ...ADDED,
    type: 'TrajectoryGroup',
    field: 'metadata',
    path: 'trajectory_groups[].metadata',
    after: 'is an object with any JSON',
  },
  {
    ...ADDED,
    type: 'TrajectoryGroup',
    field: 'metrics',
    path: 'trajectory_groups[].metrics',
    after: 'is an object of numbers and booleans',
  },
  {
    ...ADDED,
    type: 'TrajectoryGroup',
    field: 'logs',
    path: 'trajectory_groups[].logs',
    after: 'is a list of texts',
  },
  {
    ...ADDED,
    type: 'SFTTrainingConfig',
    field: 'assistant_turns',
    path: 'config.assistant_turns',
    after: 'is `all` or `last`',
  },
  {
    since: '2026-11',
    type: 'SFTTrainingConfig',
    field: 'metric_logging',
    path: 'config.metric_logging',
    before: 'is any object',
    after: 'has `enabled` and `target_training_step`, with their types',
    source: 'documentation and client',
    older: () => optional(nullable(dictionary(anything))),
  },
]

/** What newer contracts than this one changed. */
export function changesAfter(
  version: ContractVersion,
  changes: readonly ContractChange[] = contractChanges,
): readonly ContractChange[] {
  return changes.filter(({ since }) => since > version)
}

/**
 * Returns the fields that a record has in a contract, from those that it has in the newest one.
 *
 * The type stays that of the newest contract: what an older one accepts fits it. The exception is
 * `metric_logging`, whose keys no code reads.
 */
export function fieldsIn<F extends Fields>(
  version: ContractVersion,
  type: string,
  fields: F,
  changes: readonly ContractChange[] = contractChanges,
): F {
  const newer = changesAfter(version, changes).filter((change) => change.type === type)
  if (newer.length === 0) return fields
  const older: Fields = { ...fields }
  for (const { field, older: before } of newer.toReversed()) {
    const now = older[field]
    if (now === undefined) throw new Error(`${type} has no field "${field}" that changed.`)
    if (before) older[field] = before(asField(now))
    else delete older[field]
  }
  return older as F
}
