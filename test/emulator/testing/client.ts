import type { Emulator, EmulatorOptions } from '../../../src/index.js'
import { clientOf, withKey, type ApiClient } from '../../support/api-client.js'
import { createSavedEmulator } from '../../support/saved-emulator.js'
import { groups, startJob } from '../../support/trainer.js'

/** A client that trains the model `poet`, and may read its jobs. */
export interface Client {
  emulator: Emulator
  api: ApiClient
  /** The id of the model. */
  model: string
  // oxlint-disable-next-line typescript/no-explicit-any
  get: (path: string, key?: string) => Promise<any>
  /** Submits a batch. Returns the id of its job. */
  submit: (batch?: readonly object[], model?: string) => Promise<string>
  poll: (job: string, key?: string) => Promise<unknown>
  /** Reads a page of two events. */
  events: (job: string, after?: string, key?: string) => ReturnType<Client['get']>
  checkpoints: () => Promise<unknown>
  deleteCheckpoints: (steps: readonly number[]) => Promise<unknown>
  /** Reads events page by page, up to the newest. Returns the cursor. */
  follow: (job: string, from?: string) => Promise<string>
}

/** Makes a client of an emulator. */
export async function clientOn(emulator: Emulator): Promise<Client> {
  const { id: model } = await emulator.models.create({ name: 'poet' })
  const api = clientOf(emulator)
  const get: Client['get'] = async (path, key = 'a-key') =>
    (await api.get(`/preview/${path}`, withKey(key))).body
  const events: Client['events'] = (job, after = '', key) =>
    get(`training-jobs/${job}/events?limit=2&after=${after}`, key)
  const follow: Client['follow'] = async (job, from = '') => {
    const { data, has_more, last_id } = await events(job, from)
    const cursor = data.length > 0 ? last_id : from
    return has_more ? follow(job, cursor) : cursor
  }
  return {
    emulator,
    api,
    model,
    get,
    submit: (batch = groups, id = model) => startJob(api, id, batch, withKey('a-key')),
    poll: (job, key) => get(`training-jobs/${job}`, key),
    events,
    checkpoints: () => get(`models/${model}/checkpoints`),
    deleteCheckpoints: (steps) => api.delete(`/preview/models/${model}/checkpoints`, { steps }),
    follow,
  }
}

/** Makes a client of an emulator of its own. Its clock is manual. */
export function client(options: EmulatorOptions = {}): Promise<Client> {
  return clientOn(createSavedEmulator({ clock: 'manual', ...options }))
}
