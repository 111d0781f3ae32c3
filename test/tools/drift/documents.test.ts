import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { contractChanges } from '../../../src/service/contract/changes.js'
import { compareDocuments, sharedOperations } from '../../../src/tools/drift/compare-documents.js'
import { DriftError, parseDocument } from '../../../src/tools/drift/document.js'
import { differencesOf, linesOf, ownDocument, small, type Editable } from './documents.js'

const JOBS = '/v1/preview/training-jobs'

describe('a comparison of documents', () => {
  it.each(['training', 'inference'] as const)('finds no drift of the %s API from itself', (api) => {
    const { differences, shared } = compareDocuments({
      theirs: ownDocument(api),
      ours: ownDocument(api),
      label: 'itself',
    })
    expect(differences).toEqual([])
    expect(shared).toBeGreaterThan(1)
  })

  it.each<[string, (document: Editable) => void, string]>([
    [
      'a new operation',
      (d) => (d['paths']['/v1/new'] = { get: { responses: {} } }),
      'additive operation-added GET /v1/new',
    ],
    [
      'a missing operation',
      (d) => delete d['paths']['/v1/health'],
      'breaking operation-removed GET /v1/health',
    ],
    [
      'a new field deep in a request',
      (d) => (d['components'].schemas.Trajectory.properties.extra = { type: 'string' }),
      `additive field-added POST ${JOBS} → request → trajectory_groups[].trajectories[].extra`,
    ],
    [
      'another type deep in a request',
      (d) => (d['components'].schemas.Trajectory.properties.reward = { type: 'string' }),
      `breaking type-changed POST ${JOBS} → request → trajectory_groups[].trajectories[].reward`,
    ],
    [
      'a new event type',
      (d) => d['components'].schemas.TrainingJobEventType.enum.push('training_paused'),
      `breaking enum-value-added GET ${JOBS}/{training_job_id}/events → response 200 → data[].type "training_paused"`,
    ],
    [
      'a new parameter',
      (d) =>
        d['paths'][`${JOBS}/{training_job_id}/events`].get.parameters.push({
          in: 'query',
          name: 'kind',
          schema: { type: 'string' },
        }),
      `additive parameter-added GET ${JOBS}/{training_job_id}/events → query kind`,
    ],
    [
      'a parameter that must be sent',
      (d) =>
        d['paths'][`${JOBS}/{training_job_id}/events`].get.parameters.push({
          in: 'query',
          name: 'kind',
          required: true,
          schema: { type: 'string' },
        }),
      `breaking parameter-added GET ${JOBS}/{training_job_id}/events → query kind`,
    ],
    [
      'a status',
      (d) => (d['paths'][JOBS].post.responses['402'] = { description: 'Pay' }),
      `additive status-added POST ${JOBS} → response 402`,
    ],
    [
      'another status of success',
      (d) => (d['paths'][JOBS].post.responses['202'] = { description: 'Later' }),
      `breaking status-added POST ${JOBS} → response 202`,
    ],
    [
      'a content type',
      (d) => (d['paths'][JOBS].post.requestBody.content['multipart/form-data'] = { schema: {} }),
      `additive content-type-added POST ${JOBS} → request (multipart/form-data)`,
    ],
    [
      'no body',
      (d) => delete d['paths'][JOBS].post.requestBody,
      `breaking body-removed POST ${JOBS} → request`,
    ],
    [
      'an optional body',
      (d) => (d['paths'][JOBS].post.requestBody.required = false),
      `additive required-removed POST ${JOBS} → request`,
    ],
    [
      'a body where the emulator takes none',
      (d) => (d['paths']['/v1/health'].get.requestBody = { content: {} }),
      'additive body-added GET /v1/health → request',
    ],
    [
      'a body that must be sent where the emulator takes none',
      (d) => (d['paths']['/v1/health'].get.requestBody = { required: true, content: {} }),
      'breaking body-added GET /v1/health → request',
    ],
    [
      'a header',
      (d) => (d['paths'][JOBS].post.responses['200'].headers = { 'X-Cost': {} }),
      `additive header-added POST ${JOBS} → response 200 → header x-cost`,
    ],
    [
      'no key',
      (d) => delete d['paths'][JOBS].post.security,
      `additive key-not-required POST ${JOBS} → key`,
    ],
    [
      'a deprecated operation',
      (d) => (d['paths'][JOBS].post.deprecated = true),
      `additive deprecated-added POST ${JOBS}`,
    ],
  ])('finds %s at its place', (_name, change, line) => {
    const theirs = ownDocument()
    change(theirs)
    expect(linesOf(theirs, ownDocument())).toContain(line)
  })

  it('finds a renamed field of each type of the emulator', () => {
    const ours = ownDocument()
    const types = Object.entries<Editable>(ours['components'].schemas)
    for (const [name, { properties = {} }] of types) {
      const [field, schema] = Object.entries<unknown>(properties)[0] ?? []
      if (field === undefined) continue
      const theirs = ownDocument()
      const renamed = { ...properties, [`${field}_changed`]: schema }
      delete renamed[field]
      theirs['components'].schemas[name].properties = renamed
      expect(linesOf(theirs, ours).join('\n'), `${name}.${field}`).toContain(`${field}_changed`)
    }
    expect(types.length).toBeGreaterThan(50)
  })

  it('compares operations whose path parameters have other names', () => {
    const theirs = ownDocument()
    const path = '/v1/preview/models/{model_id}'
    theirs['paths']['/v1/preview/models/{id}'] = theirs['paths'][path]
    delete theirs['paths'][path]
    for (const { parameters } of Object.values<Editable>(
      theirs['paths']['/v1/preview/models/{id}'],
    )) {
      parameters.find((each: Editable) => each['in'] === 'path').name = 'id'
    }
    expect(linesOf(theirs, ownDocument())).toEqual([])
  })

  it('reads the base path from the servers of the document', () => {
    const theirs = ownDocument()
    const paths = Object.entries(theirs['paths']).map(([path, item]) => [
      path.replace('/v1', ''),
      item,
    ])
    theirs['paths'] = Object.fromEntries(paths)
    theirs['servers'] = [{ url: 'https://service.test/v1/' }]
    expect(linesOf(theirs, ownDocument())).toEqual([])
    expect(sharedOperations(theirs, ownDocument(), 'openapi.json')).toBe(14)
  })

  it('says what both sides have, and who would notice', () => {
    const theirs = small({ request: { type: 'object', properties: { a: {} }, required: ['a'] } })
    const ours = small({ request: { type: 'object', properties: { b: {} } } })
    expect(differencesOf(theirs, ours)).toMatchObject([
      { what: 'the emulator takes it, the service does not', who: 'clients that send it' },
      {
        what: 'the service requires it, the emulator does not know it',
        who: 'clients that do not send it',
      },
    ])
  })

  it('treats refusals that the document leaves out, and words, as cosmetic', () => {
    const theirs = ownDocument()
    delete theirs['paths'][JOBS].post.responses['429']
    theirs['paths'][JOBS].post.summary = 'Another summary'
    const { differences } = compareDocuments({ theirs, ours: ownDocument(), label: 'openapi.json' })
    expect(differences.map(({ kind, severity }) => `${severity} ${kind}`)).toEqual([
      'cosmetic summary-changed',
      'cosmetic status-removed',
    ])
  })
})

const reference = process.env['SVTRAIN_REFERENCE'] ?? ''

it.skipIf(reference === '')('finds in the reference only what is known', async () => {
  const theirs = await parseDocument(readFileSync(reference, 'utf8'), 'the reference')
  expect(
    linesOf(theirs, ownDocument()).map((line) => line.replace(/^(\S+ \S+) .* → /, '$1 ')),
  ).toEqual([
    'breaking content-type-removed response 200 (text/event-stream)',
    'breaking content-type-removed response 200 (text/event-stream)',
    ...NEWER,
    ...NEWER,
    'breaking field-removed config.assistant_turns',
    'additive free-form-added config.metric_logging',
    'additive key-not-required key',
    'additive key-not-required key',
  ])
})

it.skipIf(reference === '')('finds in the reference what its contract explains', async () => {
  const theirs = await parseDocument(readFileSync(reference, 'utf8'), 'the reference')
  // docs/explain/contract.md#choose-the-version-of-the-contract explains both kinds.
  expect(linesOf(theirs, ownDocument('training', '2026-01'))).toEqual([
    'breaking content-type-removed POST /v1/chat/completions/ → response 200 (text/event-stream)',
    'breaking content-type-removed POST /v1/chat/completions → response 200 (text/event-stream)',
    'additive key-not-required GET /v1/health → key',
    'additive key-not-required GET /v1/system-check → key',
  ])
})

it('finds between two contracts what the newer one changed', () => {
  const older = linesOf(ownDocument('training', '2026-01'), ownDocument())
  for (const { path, inAnswers } of contractChanges) {
    const part = inAnswers ? 'response 200' : 'request'
    expect(older.join('\n')).toContain(`${part} → ${path}`)
  }
  const inResponses = older.filter((line) => line.includes('response'))
  expect(inResponses.length > 0).toBe(contractChanges.some(({ inAnswers }) => inAnswers))
})

/** What newer documents of the service have in the groups of two operations. */
const NEWER = [
  'breaking required-added trajectory_groups[].trajectories',
  'breaking other-fields-changed trajectory_groups[].trajectories[].metadata.*',
  'breaking field-removed trajectory_groups[].trajectories[].exchanges',
  'breaking field-removed trajectory_groups[].exceptions',
  'breaking field-removed trajectory_groups[].metadata',
  'breaking field-removed trajectory_groups[].metrics',
  'breaking field-removed trajectory_groups[].logs',
]

describe('a document that cannot be compared', () => {
  it.each([
    ['', 'x.json is empty.'],
    ['{"openapi": "3.1.0", "paths": {', 'Failed to parse x.json: '],
    ['<html></html>', 'x.json is not an OpenAPI document: It takes'],
    ['[1]', 'x.json is not an OpenAPI document'],
    ['{"hello": 1}', 'it has no key "openapi"'],
    ['swagger: "2.0"', 'version "2.0" of Swagger'],
    ['openapi: 4.0.0', 'version "4.0.0" of OpenAPI'],
    ['openapi: 3.1.0', 'no object "paths"'],
    ['a: [1', 'Failed to parse x.json: '],
  ])('is refused: %j', async (text, message) => {
    await expect(parseDocument(text, 'x.json')).rejects.toThrow(message)
    await expect(parseDocument(text, 'x.json')).rejects.toThrow(DriftError)
  })

  it('can be YAML', async () => {
    const document = await parseDocument('openapi: 3.0.3\npaths: {}\n', 'x.yaml')
    expect(document).toEqual({ openapi: '3.0.3', paths: {} })
  })

  it.each<[string, unknown, string]>([
    [
      'a missing reference',
      { $ref: '#/components/schemas/None' },
      'leads nowhere: "#/components/schemas/None"',
    ],
    [
      'a reference to a file',
      { $ref: 'other.json#/A' },
      'refers to another document, "other.json#/A"',
    ],
    ['a reference to itself', { $ref: '#/components/schemas/Loop' }, 'circular reference'],
    [
      'a schema that consists of itself',
      { $ref: '#/components/schemas/Self' },
      'consists of itself',
    ],
    [
      'too many forms',
      { allOf: Array.from({ length: 20 }, () => ({ anyOf: [{ title: 'a' }, { title: 'b' }] })) },
      'more than 1000 alternatives',
    ],
    ['too deep a schema', deep(1000), 'more than 200 levels deep'],
    ['too many places', { $ref: '#/components/schemas/N0' }, 'too large to compare'],
  ])('has %s', (_name, schema, message) => {
    const schemas: Editable = {
      Loop: { $ref: '#/components/schemas/Loop' },
      Self: { allOf: [{ $ref: '#/components/schemas/Self' }, { type: 'object' }] },
    }
    const next = (index: number): object => ({ $ref: `#/components/schemas/N${index + 1}` })
    // Each level has two fields, so the last one has 2^40 places.
    for (let index = 0; index < 40; index++) {
      schemas[`N${index}`] = { type: 'object', properties: { a: next(index), b: next(index) } }
    }
    schemas['N40'] = { type: 'string' }
    const document = (last: object): Editable => ({
      ...small({ response: schema }),
      components: { schemas: { ...schemas, N40: last } },
    })
    expect(() => linesOf(document({ type: 'string' }), document({ type: 'integer' }))).toThrow(
      message,
    )
  })
})

function deep(levels: number): object {
  let schema: object = { type: 'string' }
  for (let level = 0; level < levels; level++) schema = { type: 'array', items: schema }
  return schema
}
