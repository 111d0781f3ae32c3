/** A Mockoon environment: two data buckets with CRUD routes, a POST with validation, and a chat. */
import { randomUUID } from 'node:crypto'
import type { Answers } from '../answers.js'

interface Route {
  type: 'http' | 'crud'
  method: string
  endpoint: string
  responses: object[]
}

interface Bucket {
  id: string
  uuid: string
  name: string
  documentation: string
  value: string
}

/** Only values that differ from the defaults. `--repair` adds the defaults. */
export function mockoonEnvironment({ told, events }: Answers): object {
  const record = JSON.parse(told.get.body as string) as object
  const jobs = bucket('jobs', [record])
  const pages = bucket('events', events)
  const wanted = bucket('schema', jobSchema)
  const chat = response({ body: told.chat.body, default: true })
  const refused = response({ statusCode: 422, body: '{"detail": "Not a job"}', default: true })
  const rule = { target: 'body', modifier: '', value: wanted.id, invert: false }
  const created = response({
    body: told.post.body,
    rules: [{ ...rule, operator: 'valid_json_schema' }],
  })
  const routes = [
    route('crud', '', 'v1/jobs', [crud(jobs.id)]),
    route('crud', '', 'v1/events', [crud(pages.id)]),
    route('http', 'post', 'v1/preview/training-jobs', [created, refused]),
    route('http', 'post', 'v1/chat/completions', [chat]),
  ]
  return {
    uuid: randomUUID(),
    lastMigration: 33,
    name: 'bench',
    hostname: '127.0.0.1',
    routes,
    rootChildren: routes.map(({ uuid }) => ({ type: 'route', uuid })),
    data: [jobs, pages, wanted],
  }
}

function bucket(name: string, value: unknown): Bucket {
  return { uuid: randomUUID(), id: name, name, documentation: '', value: JSON.stringify(value) }
}

function route(
  type: Route['type'],
  method: string,
  endpoint: string,
  responses: object[],
): Route & { uuid: string } {
  return { uuid: randomUUID(), type, method, endpoint, responses }
}

function response(said: object): object {
  const headers = [{ key: 'Content-Type', value: 'application/json' }]
  const told = { uuid: randomUUID(), statusCode: 200, bodyType: 'INLINE', headers, rules: [] }
  return { ...told, disableTemplating: true, ...said }
}

function crud(databucketID: string): object {
  return response({ bodyType: 'DATABUCKET', databucketID, default: true, disableTemplating: false })
}

/** The required fields of a job. */
const jobSchema = {
  type: 'object',
  required: ['model_id', 'trajectory_groups'],
  properties: {
    model_id: { type: 'string' },
    trajectory_groups: {
      type: 'array',
      items: {
        type: 'object',
        required: ['trajectories'],
        properties: {
          trajectories: {
            type: 'array',
            items: {
              type: 'object',
              required: ['messages_and_choices', 'reward'],
              properties: {
                messages_and_choices: { type: 'array', items: { type: 'object' } },
                reward: { type: 'number' },
              },
            },
          },
        },
      },
    },
  },
}
