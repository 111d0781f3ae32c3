import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { operationsIn } from '../../../src/service/api/table.js'
import { contractChanges, type ContractChange } from '../../../src/service/contract/changes.js'
import type { Problem } from '../../../src/service/contract/pydantic/problem.js'
import type { JsonSchema } from '../../../src/service/contract/pydantic/schema.js'
import {
  describeComponents,
  validateBody,
} from '../../../src/service/contract/pydantic/validate.js'
import {
  createSftTrainingJob,
  createTrainingJob,
} from '../../../src/service/contract/training-job.js'
import { logRequest } from '../../../src/service/contract/trajectory.js'
import {
  contractVersions,
  NEWEST_CONTRACT,
  type ContractVersion,
} from '../../../src/service/contract/versions.js'

const OLDEST: ContractVersion = '2026-01'
const id = '0d2f7a1e-5a6b-4c3d-8e9f-000000000001'

describe('the versions of the contract', () => {
  it('are months, oldest first, and the newest is the default', () => {
    expect([...contractVersions].sort()).toEqual([...contractVersions])
    for (const version of contractVersions) expect(version).toMatch(/^\d{4}-\d{2}$/)
    expect(contractVersions.at(-1)).toBe(NEWEST_CONTRACT)
  })

  it('have schemas of their own, which are made once', () => {
    for (const version of contractVersions) {
      expect(createTrainingJob.in(version)).toBe(createTrainingJob.in(version))
    }
    expect(createTrainingJob.in(OLDEST)).not.toBe(createTrainingJob.in(NEWEST_CONTRACT))
  })

  it('differ in the fields of the table, and in nothing else', () => {
    const [older, newer] = [componentsIn(OLDEST), componentsIn(NEWEST_CONTRACT)]
    const changed = Object.keys(newer).flatMap((type) => {
      const [before, after] = [older[type], newer[type]!]
      // A type that only the field of a newer contract uses.
      if (!before) return []
      const names = new Set([...fieldsOf(before), ...fieldsOf(after)])
      return [...names]
        .filter((field) => factsOf(before, field) !== factsOf(after, field))
        .map((field) => `${type}.${field}`)
    })
    const rows = contractChanges.map(({ type, field }) => `${type}.${field}`)
    expect(changed.sort()).toEqual(rows.sort())
    const gone = Object.keys(newer).filter((type) => !(type in older))
    expect(gone).toEqual(['PydanticException', 'SFTMetricLoggingConfig'])
    expect(Object.keys(older).filter((type) => !(type in newer))).toEqual([])
  })
})

const schemas = { createTrainingJob, logRequest, createSftTrainingJob }

const value = fc.oneof(
  fc.constantFrom('x', 1, 1.5, true, null, '', 'all'),
  fc.constantFrom<unknown>({}, [], { a: [1] }, ['x'], { enabled: 'perhaps' }, { a: 1 }),
)
const optional = { requiredKeys: [] }
const trajectory = fc.record(
  {
    reward: fc.oneof(fc.constant(1), value),
    metadata: fc.oneof(fc.dictionary(fc.string(), value, { maxKeys: 3 }), value),
    metrics: fc.dictionary(fc.string(), value, { maxKeys: 2 }),
    logs: fc.array(value, { maxLength: 2 }),
    exchanges: value,
  },
  optional,
)
const group = fc.record(
  {
    trajectories: fc.array(trajectory, { maxLength: 3 }),
    exceptions: value,
    metadata: value,
    metrics: value,
    logs: value,
  },
  optional,
)
const trajectory_groups = fc.array(group, { maxLength: 3 })
const bodies = {
  createTrainingJob: fc.record({ model_id: fc.constant(id), trajectory_groups }),
  logRequest: fc.record({ split: fc.constant('val'), trajectory_groups }),
  createSftTrainingJob: fc.record({
    model_id: fc.constant(id),
    training_data_url: fc.constant('artifact:///a/b/c'),
    config: fc.record(
      { assistant_turns: value, metric_logging: value, batch_size: value },
      optional,
    ),
  }),
} as const

describe('a body that an older contract accepts', () => {
  it.each(Object.keys(bodies) as (keyof typeof bodies)[])(
    'is accepted by the newest, unless a row of the table says otherwise: %s',
    (name) => {
      let accepted = 0
      fc.assert(
        fc.property(bodies[name], (body) => {
          const before = validateBody<unknown>(schemas[name].in(OLDEST), body)
          const after = validateBody<unknown>(schemas[name].in(NEWEST_CONTRACT), body)
          if (!before.ok) return
          accepted++
          if (!after.ok) for (const problem of after.problems) expect(stricter(problem)).toBe(true)
        }),
        { numRuns: 500 },
      )
      expect(accepted).toBeGreaterThan(20)
    },
  )

  it('is refused by an older one only for what a row of the table says', () => {
    fc.assert(
      fc.property(bodies.createTrainingJob, (body) => {
        const before = validateBody<unknown>(createTrainingJob.in(OLDEST), body)
        const after = validateBody<unknown>(createTrainingJob.in(NEWEST_CONTRACT), body)
        if (!after.ok || before.ok) return
        for (const { loc } of before.problems) expect(rowsAt(loc)).toHaveLength(1)
      }),
      {
        numRuns: 500,
        examples: [[trained({ metadata: { '': {} } })], [trained({ exchanges: [] })]],
      },
    )
  })
})

/** The body of a job with one trajectory. */
function trained(fields: object): object {
  return { model_id: id, trajectory_groups: [{ trajectories: [fields] }] }
}

/** Whether a row says that the newest contract checks what an older one ignored, or took as it was. */
function stricter({ loc }: Problem): boolean {
  const checked = (row: ContractChange): boolean =>
    row.older === undefined || row.field === 'metric_logging'
  return rowsAt(loc).some(checked)
}

/** The rows for the place of a problem. Those of its field, where rows of the fields around it fit as well. */
function rowsAt(loc: readonly (string | number)[]): ContractChange[] {
  const place = loc
    .slice(1)
    .map((part) => (typeof part === 'number' ? '[]' : `.${part}`))
    .join('')
    .slice(1)
  const rows = contractChanges.filter(
    ({ path }) => place === path || place.startsWith(`${path}.`) || place.startsWith(`${path}[`),
  )
  const nearest = Math.max(...rows.map(({ path }) => path.length))
  return rows.filter(({ path }) => path.length === nearest)
}

function componentsIn(version: ContractVersion): Record<string, JsonSchema> {
  const rows = operationsIn(version)
  return describeComponents(
    rows.flatMap(({ body, response }) => (body ? [body, response] : response)),
  )
}

function fieldsOf({ properties = {} }: JsonSchema): string[] {
  return Object.keys(properties as object)
}

/** A field in the document: its schema, and whether it is required. */
function factsOf({ properties = {}, required = [] }: JsonSchema, field: string): string {
  const schema = (properties as Record<string, unknown>)[field]
  return JSON.stringify([schema, (required as string[]).includes(field)])
}
