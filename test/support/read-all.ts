import type { Outcome } from '../../src/service/contract/exchange.js'
import type { Emulator } from '../../src/index.js'
import { operations } from '../../src/compose/control-table.js'
import { bearer } from './api-client.js'

/**
 * Sends `GET /path?query` to an emulator in process. A path of the inference host begins with `@inference`. A
 * body that is a string is sent as it is.
 */
export async function ask(
  emulator: Emulator,
  line: string,
  body?: unknown,
): Promise<Outcome & { kind: 'response' }> {
  const [method, path, query = ''] = line.split(/ |\?/) as [string, string, string?]
  const [host, rest] = path.startsWith('@inference')
    ? (['inference', path.slice('@inference'.length)] as const)
    : (['training', path] as const)
  const outcome = await emulator.handle(host, {
    method,
    base: 'http://127.0.0.1',
    path: rest,
    query,
    headers: bearer(emulator.apiKey),
    body: new TextEncoder().encode(textOf(body)),
  })
  if (outcome.kind === 'response' && outcome.status !== 500) return outcome
  throw new Error(`${line}: ${JSON.stringify(outcome)}`)
}

function textOf(body: unknown): string {
  if (body === undefined) return ''
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/**
 * Operations that do not depend on the world, the endless stream, and operations that are called
 * separately.
 */
const SAME_IN_ALL_WORLDS = /openapi\.json$|\/scenarios?(?:\/schema)?$|\/stream$|^\/storage\//

/** Reads all that can be read of a world. Fails if a read is not answered, or is answered with 500. */
export async function readAll(emulator: Emulator): Promise<void> {
  const { store, faults } = emulator.engine
  // The effect of a fault is not a failure of the emulator.
  for (const fault of faults.all) fault.open = false
  const ids: Readonly<Record<string, Iterable<string>>> = {
    model_id: [...store.modelStates].map(({ record }) => record.id),
    training_job_id: store.jobs.keys(),
    job_id: store.jobs.keys(),
    request_id: emulator.journal.entries
      .filter(({ kind }) => kind === 'request')
      .map(({ id }) => String(id)),
    delivery_id: emulator.webhooks.deliveries.map(({ id }) => id),
  }
  for (const { method, path, host } of operations) {
    if (method !== 'GET' || SAME_IN_ALL_WORLDS.test(path)) continue
    const [placeholder, parameter] = /\{(\w+)\}/.exec(path) ?? []
    const query = path.endsWith('/wait') ? '?timeout=1ms' : ''
    for (const id of parameter === undefined ? [''] : [...ids[parameter]!].slice(-2)) {
      const filled = placeholder ? path.replace(placeholder, encodeURIComponent(id)) : path
      await ask(emulator, `GET ${host === 'inference' ? '@inference' : ''}${filled}${query}`)
    }
  }
}
