import { anything } from '../contract/validation/anything.js'
import { operation } from './operation.js'

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
  // The keys inside a queue are our choice; the documents only say "success, duration, any errors".
  run: () => ({ api: true, database: true, cpu_queue: queueCheck(), gpu_queue: queueCheck() }),
})

function queueCheck() {
  return { success: true, duration: 0.01, error: null }
}

export const healthOperations = [healthCheck, systemCheck]
