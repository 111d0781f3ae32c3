/** A Mockoon environment: a data bucket with CRUD routes. Only values that differ from the defaults: `--repair` adds those. */
import { randomUUID } from 'node:crypto'

export function mockoonEnvironment(record: object): object {
  const own = (): { uuid: string } => ({ uuid: randomUUID() })
  const jobs = { ...own(), id: 'jobs', name: 'jobs', value: JSON.stringify([record]) }
  const headers = [{ key: 'Content-Type', value: 'application/json' }]
  const stored = { ...own(), statusCode: 200, headers, rules: [], default: true }
  const response = { ...stored, bodyType: 'DATABUCKET', databucketID: jobs.id }
  const route = { ...own(), type: 'crud', method: '', endpoint: 'v1/jobs', responses: [response] }
  return {
    ...own(),
    lastMigration: 33,
    name: 'bench',
    hostname: '127.0.0.1',
    routes: [route],
    rootChildren: [{ type: 'route', uuid: route.uuid }],
    data: [jobs],
  }
}
