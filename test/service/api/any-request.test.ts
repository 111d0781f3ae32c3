import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { operations as all } from '../../../src/compose/control-table.js'
import { clientOf } from '../../support/api-client.js'
import { createModel, startJob } from '../../support/trainer.js'

const operations = all.filter(({ host }) => host !== 'control')

/** All statuses that this version uses. */
const STATUSES = new Set([200, 307, 400, 401, 404, 405, 409, 422])

const emulator = createEmulator({ clock: 'instant' })
const client = clientOf(emulator)
const { id: modelId } = await createModel(client)
const jobId = await startJob(client, modelId, [])

const id = fc.oneof(fc.constantFrom(modelId, jobId, '%', '%ff', '..', '__proto__'), fc.string())
const knownPath = fc
  .tuple(fc.constantFrom(...operations), id)
  .map(([{ path }, text]) => path.replace(/\{\w+\}/, text))
const bodies = fc.oneof(
  fc.json(),
  fc.string(),
  fc
    .record(
      {
        model_id: fc.constantFrom(modelId, 'x', null),
        model: fc.constantFrom('example/base-8b-instruct', ':', 'a://b/c/d:stepx', null),
        messages: fc.jsonValue(),
        trajectory_groups: fc.array(fc.record({ trajectories: fc.array(fc.jsonValue()) })),
        training_data_url: fc.oneof(fc.string(), fc.constant('a://b/c/d')),
        steps: fc.array(fc.integer()),
        split: fc.string(),
        project: fc.string(),
        name: fc.string(),
        base_model: fc.string(),
        n: fc.jsonValue(),
        max_tokens: fc.jsonValue(),
        stream: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
)

describe('any request', () => {
  it(
    'gets a documented status and a body of the documented shape',
    { timeout: 30_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom('training' as const, 'inference' as const),
          fc.record({
            method: fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'HEAD', 'OPTIONS', 'X'),
            path: fc.oneof(knownPath, fc.webPath(), fc.string()),
            query: fc.oneof(fc.webQueryParameters(), fc.string(), fc.constant('limit=100&after=')),
            key: fc.constantFrom('Bearer k', 'bearer  k', 'Basic k', '', undefined),
            type: fc.constantFrom('application/json', 'text/plain', 'a/b/c', '', undefined),
            body: bodies,
          }),
          async (host, { method, path, query, key, type, body }) => {
            const outcome = await emulator.handle(host, {
              method,
              base: 'http://host',
              path,
              query,
              headers: { authorization: key, 'content-type': type },
              body: new TextEncoder().encode(body),
            })
            if (outcome.kind !== 'response') return expect(outcome.kind).toBe('stream')
            expect(STATUSES).toContain(outcome.status)
            const answer: unknown = outcome.body === '' ? undefined : JSON.parse(outcome.body)
            if (outcome.status >= 400)
              expect(Object.keys(answer as object)).toEqual([expectedKey(answer)])
          },
        ),
        { numRuns: 3000 },
      )
      expect(emulator.journal.entries.some((entry) => 'fault' in entry)).toBe(false)
    },
  )
})

function expectedKey(answer: unknown): string {
  // Runs and artifacts have the form of GraphQL.
  if (Object.hasOwn(answer as object, 'errors')) return 'errors'
  return Object.hasOwn(answer as object, 'error') ? 'error' : 'detail'
}
