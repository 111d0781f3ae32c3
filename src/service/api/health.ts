import { anything, boolean, number, string } from '../contract/pydantic/scalars.js'
import { documentedAs } from '../contract/pydantic/documented-as.js'
import { literal } from '../contract/pydantic/literal.js'
import { model } from '../contract/pydantic/model.js'
import { nullable } from '../contract/pydantic/containers.js'
import { operation } from './operation.js'
import { Reply } from './result.js'

// The document of the service has no schema for these answers.
const health = documentedAs(anything, model('Health', { status: literal('ok') }))

// The service documents only "success, duration, any errors"; the keys inside a queue are a choice.
const queue = model('QueueCheck', { success: boolean, duration: number, error: nullable(string) })
const systemHealth = documentedAs(
  anything,
  model('SystemCheck', { api: boolean, database: boolean, cpu_queue: queue, gpu_queue: queue }),
)

const healthCheck = operation({
  id: 'healthCheck',
  host: 'training',
  method: 'GET',
  path: '/v1/health',
  name: 'health_check',
  tag: 'health',
  summary: 'Health Check',
  auth: 'health',
  response: health,
  run: () => ({ status: 'ok' as const }),
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
  response: systemHealth,
  // It has the same body.
  refusals: [503],
  run({ engine }) {
    const { database, cpu_queue, gpu_queue } = engine.scenario.system_check
    const well = database && cpu_queue.success && gpu_queue.success
    return new Reply(well ? 200 : 503, { api: true, database, cpu_queue, gpu_queue })
  },
})

export const healthOperations = [healthCheck, systemCheck]
