import { anything } from '../contract/pydantic/anything.js'
import { operation, Reply } from './operation.js'

const healthCheck = operation({
  id: 'healthCheck',
  host: 'training',
  method: 'GET',
  path: '/v1/health',
  name: 'health_check',
  tag: 'health',
  summary: 'Health Check',
  auth: 'health',
  response: anything,
  run: () => ({ status: 'ok' }),
})

const systemCheck = operation({
  id: 'systemCheck',
  host: 'training',
  method: 'GET',
  path: '/v1/system-check',
  name: 'system_check',
  tag: 'health',
  summary: 'System Check',
  auth: 'system-check',
  response: anything,
  // It has the same body.
  refusals: [503],
  // The service documents only "success, duration, any errors"; the keys inside a queue are a choice.
  run({ engine }) {
    const { database, cpu_queue, gpu_queue } = engine.scenario.system_check
    const well = database && cpu_queue.success && gpu_queue.success
    return new Reply(well ? 200 : 503, { api: true, database, cpu_queue, gpu_queue })
  },
})

export const healthOperations = [healthCheck, systemCheck]
