import type { ControlFault } from '../../../src/emulator/control/schemas/faults.js'
import type { ControlJob } from '../../../src/emulator/control/schemas/jobs.js'
import type { ControlModel } from '../../../src/emulator/control/schemas/models.js'
import type { WorldRecord } from '../../../src/service/engine/saved/records.js'
import type { Calls } from './calls.js'
import { lookAtPlatform } from './look-at-platform.js'

/** Reads everything that clients can know, by the keys of the facts. */
export async function lookAt(calls: Calls): Promise<Map<string, unknown>> {
  const read = async <T>(id: string, query = ''): Promise<T> => {
    const answer = await calls.ask<T>(id, { query })
    if (answer === undefined) throw new Error(`Failed to read the world: ${id} was refused.`)
    return answer
  }
  const found = new Map<string, unknown>()
  const { scenario } = await read<{ scenario: { name: string } }>('readInfo')
  found.set('scenario', scenario.name)
  const { now } = await read<{ now: string }>('readClock')
  found.set('clock', Date.parse(now))
  const { models } = await read<{ models: ControlModel[] }>('listModels')
  for (const { id, checkpoints } of models) {
    found.set(`model:${id}`, true)
    found.set(
      `steps:${id}`,
      checkpoints.map(({ step }) => step),
    )
    const reward = checkpoints.at(-1)?.metrics['val/reward']
    if (reward !== undefined) found.set(`reward:${id}`, reward)
  }
  const { jobs } = await read<{ jobs: ControlJob[] }>('listJobs')
  for (const { id, status, stalled } of jobs) found.set(`job:${id}`, stalled ? 'stalled' : status)
  const { faults } = await read<{ faults: ControlFault[] }>('listFaults')
  for (const { id, open } of faults) found.set(`fault:${id}`, open ? 'open' : 'closed')
  await lookAtWebhooks(read, found)
  await lookAtSnapshot(read, found)
  return found
}

type Read = <T>(id: string, query?: string) => Promise<T>

async function lookAtWebhooks(read: Read, found: Map<string, unknown>): Promise<void> {
  const { webhooks } = await read<{
    webhooks: { name: string; timeout: string; disabled: string | null }[]
  }>('listWebhooks')
  for (const { name, timeout, disabled } of webhooks) {
    found.set(`webhook:${name}`, timeout)
    found.set(`disabled:${name}`, disabled !== null)
  }
  const { automations } = await read<{ automations: { name: string; payload: unknown }[] }>(
    'listAutomations',
  )
  for (const { name, payload } of automations) found.set(`automation:${name}`, payload)
  const { deliveries } = await read<{ deliveries: { id: string; attempts: unknown[] }[] }>(
    'listDeliveries',
    '?limit=20000',
  )
  for (const { id, attempts } of deliveries) found.set(`delivery:${id}`, attempts.length)
}

/** Reads what only a snapshot contains: secrets, and the number of chats per project. Reads runs and artifacts, too. */
async function lookAtSnapshot(read: Read, found: Map<string, unknown>): Promise<void> {
  const { records, secrets } = await read<{ records: WorldRecord[]; secrets: string }>(
    'takeSnapshot',
  )
  const hidden = JSON.parse(Buffer.from(secrets, 'base64').toString('utf8')) as WorldRecord[]
  lookAtPlatform(records, found)
  for (const record of [...records, ...hidden]) {
    if (record.kind === 'usage') found.set(`chats:${record.key}`, record.total.requests)
    if (record.kind !== 'outgoing' || record.key !== 'parts') continue
    const { added } = record.kept as { added: { secrets: Record<string, string> } }
    for (const [name, value] of Object.entries(added.secrets)) found.set(`secret:${name}`, value)
  }
}
