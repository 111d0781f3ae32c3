import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { operations } from '../../src/index.js'
import { describeApi } from '../../src/service/api/openapi.js'
import { operationsIn } from '../../src/service/api/table.js'
import { report } from './report.js'

/** Compares our description of the training API with the service's own. */

const reference = inject('reference')

/** Ignores prose, which may differ. */
const PROSE = new Set(['description', 'examples'])

/** The parts of the reference that our document lacks or changes: `paths./v1/health.get …`. */
function missing(theirs: unknown, ours: unknown, place = ''): string[] {
  if (Array.isArray(theirs) && Array.isArray(ours)) {
    if (theirs.length !== ours.length) return [`${place} has ${ours.length}, not ${theirs.length}`]
    return theirs.flatMap((part, index) => missing(part, ours[index], `${place}[${index}]`))
  }
  if (isObject(theirs) && isObject(ours)) {
    const named = /(?:properties|schemas|paths)$/.test(place)
    return Object.entries(theirs).flatMap(([key, part]) => {
      if (!named && PROSE.has(key)) return []
      return key in ours
        ? missing(part, ours[key], `${place}.${key}`)
        : [`${place}.${key} is absent`]
    })
  }
  if (theirs === ours) return []
  return [`${place} is ${JSON.stringify(ours)}, not ${JSON.stringify(theirs)}`]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Every name and every fact that `missing` looks at. */
function countFacts(value: unknown, place = ''): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, part) => sum + countFacts(part), 0)
  if (!isObject(value)) return 1
  const named = /(?:properties|schemas|paths)$/.test(place)
  return Object.entries(value)
    .filter(([key]) => named || !PROSE.has(key))
    .reduce((sum, [key, part]) => sum + countFacts(part, `${place}.${key}`), 0)
}

/**
 * Parts of the reference that our document lacks or changes, because the newest documents and the
 * newest client of the service are newer than the reference.
 */
const REPLACED = [
  // The client leaves out an empty list, so it sends an empty group as {}.
  '.components.schemas.TrajectoryGroup.required is absent',
  // The client sends any JSON. The reference allowed texts, numbers, booleans and nulls.
  '.components.schemas.Trajectory.properties.metadata.additionalProperties is true, not {"anyOf":[{"type":"number"},{"type":"integer"},{"type":"string"},{"type":"boolean"},{"type":"null"}]}',
  // A free object became a named type, and such a field has no title.
  '.components.schemas.SFTTrainingConfig.properties.metric_logging.anyOf[0].additionalProperties is absent',
  '.components.schemas.SFTTrainingConfig.properties.metric_logging.anyOf[0].type is absent',
  '.components.schemas.SFTTrainingConfig.properties.metric_logging.title is absent',
]

/** The types and fields that the reference does not have. */
const ADDED = [
  // The bodies of refusals, whose statuses the reference omits.
  'DetailedError',
  'EnvelopedError',
  'ErrorInfo',
  // In the newest documents.
  'PydanticException',
  'SFTMetricLoggingConfig',
  'SFTTrainingConfig.assistant_turns',
  'Trajectory.exchanges',
  'TrajectoryGroup.exceptions',
  'TrajectoryGroup.metadata',
  'TrajectoryGroup.metrics',
  'TrajectoryGroup.logs',
]

const contracts = [
  {
    name: 'the newest contract',
    ours: describeApi(operations, 'training'),
    replaced: REPLACED,
    added: ADDED,
    report: '3-openapi',
    check: 'Facts of the reference OpenAPI document',
    reasons:
      'the newest documents and client make `trajectories` optional, `metadata` free and `metric_logging` a type',
  },
  {
    name: 'the contract 2026-01',
    ours: describeApi(operationsIn('2026-01'), 'training'),
    replaced: [],
    added: ['DetailedError', 'EnvelopedError', 'ErrorInfo'],
    report: '3b-openapi-2026-01',
    check: 'Facts of the reference OpenAPI document, contract 2026-01',
    reasons: '',
  },
]

describe.skipIf(reference === '')('the OpenAPI document of the training API', () => {
  let theirs: unknown
  beforeAll(() => {
    theirs = JSON.parse(readFileSync(reference, 'utf8'))
  })

  describe.each(contracts)('with $name', ({ ours, replaced, check, reasons, ...expected }) => {
    it('has everything that the reference has, except what newer documents replaced', () => {
      expect(missing(theirs, ours).sort()).toEqual([...replaced].sort())
    })

    it('has the types and fields of the reference and of newer documents', () => {
      expect(added(theirs, ours)).toEqual(expected.added)
    })

    it('has only paths and parameters of the reference', () => {
      expect(outlineOf(ours)).toEqual(outlineOf(theirs))
    })

    it('is in the table of the documentation', () => {
      const cases = countFacts(theirs)
      const same = cases - missing(theirs, ours).length
      expect(report(expected.report, [{ check, cases, same, reasons }])).toEqual([])
    })
  })
})

it('the comparison finds missing and different parts', () => {
  expect(missing({ a: { required: ['b', 'c'] } }, { a: { required: ['b'] } })).toHaveLength(1)
  expect(missing({ a: { maximum: 100 } }, { a: { maximum: 99 } })).toEqual([
    '.a.maximum is 99, not 100',
  ])
  expect(missing({ paths: { '/x': {} } }, { paths: {} })).toEqual(['.paths./x is absent'])
})

/** Types that are new, and new fields of types that are not: `Trajectory.exchanges`. */
function added(theirs: unknown, ours: unknown): string[] {
  const known = schemasOf(theirs)
  return Object.entries(schemasOf(ours)).flatMap(([type, { properties = {} }]) => {
    const old = known[type]?.properties
    if (!known[type]) return [type]
    return Object.keys(properties)
      .filter((field) => !(old && field in old))
      .map((field) => `${type}.${field}`)
  })
}

function schemasOf(document: unknown): Record<string, { properties?: object }> {
  return (document as { components: { schemas: Record<string, { properties?: object }> } })
    .components.schemas
}

/** Each operation with its id, and each of its parameters. */
function outlineOf(document: unknown): string[] {
  const { paths } = document as { paths: Record<string, Record<string, Described>> }
  return Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { operationId, parameters = [] }]) => [
        `${method} ${path} ${operationId}`,
        ...parameters.map(({ name, in: place }) => `${method} ${path} ${place} ${name}`),
      ]),
    )
    .sort()
}

interface Described {
  operationId: string
  parameters?: { name: string; in: string }[]
}
