import type { Emulator } from '../../src/index.js'
import {
  BASE_MODEL,
  clientOf,
  withKey,
  type Answer,
  type CallOptions,
  type HostClient,
} from './api-client.js'

/** Two groups with rewards 1, 0 and 0.5, 0.5. The mean is 0.5. Only the first group has an advantage. */
export const groups = [
  {
    trajectories: [
      { messages_and_choices: turn('What is 2 + 2?', 'Four, I believe.'), reward: 1 },
      { messages_and_choices: turn('What is 2 + 2?', 'Five.'), reward: 0 },
    ],
  },
  {
    trajectories: [
      { messages_and_choices: turn('Name a color.', 'Blue.'), reward: 0.5 },
      { messages_and_choices: turn('Name a color.', 'Green.'), reward: 0.5 },
    ],
  },
]

function turn(user: string, assistant: string) {
  return [
    { role: 'user', content: user },
    { role: 'assistant', content: assistant },
  ]
}

/** Creates a model. Give a name, or the fields that matter to the test. */
export async function createModel(
  client: HostClient,
  model: string | { name?: string; project?: string; return_existing?: boolean } = {},
  options?: CallOptions,
): Promise<{ id: string; entity: string }> {
  const fields = typeof model === 'string' ? { name: model } : model
  const body = { project: 'my-project', name: 'my-model', base_model: BASE_MODEL, ...fields }
  return (await client.post('/preview/models', body, options)).body
}

/** Starts an RL job on a model, and returns the job's id. */
export async function startJob(
  client: HostClient,
  modelId: string,
  trajectory_groups: readonly object[] = groups,
  options?: CallOptions,
): Promise<string> {
  const body = { model_id: modelId, trajectory_groups }
  return (await client.post('/preview/training-jobs', body, options)).body.id
}

/** Creates a model, unless there is one with that name, and starts an RL job with four rewards. */
export async function submit(emulator: Emulator, name = 'poet', key = 'any-key'): Promise<string> {
  const client = clientOf(emulator)
  const model = { project: 'demo', name, return_existing: true }
  const { id } = await createModel(client, model, withKey(key))
  const trajectories = [{ reward: 1 }, { reward: 0 }, { reward: 1 }, { reward: 0 }]
  return startJob(client, id, [{ trajectories }], withKey(key))
}

/** Asks a base model a question. `more` adds fields to the body, or replaces them. */
export function chat(
  client: HostClient,
  content: string,
  more: Record<string, unknown> = {},
): Promise<Answer> {
  const messages = [{ role: 'user', content }]
  return client.post('/chat/completions', { model: BASE_MODEL, messages, ...more })
}

export interface Event {
  id: string
  type: string
  data: Record<string, unknown>
}

/** Reads all pages of the events of a job, from the cursor `after` on. */
export async function listEvents(api: HostClient, jobId: string, after?: string): Promise<Event[]> {
  const events: Event[] = []
  let cursor = after
  for (;;) {
    const query = cursor === undefined ? '' : `?after=${cursor}`
    const { body }: Answer = await api.get(`/preview/training-jobs/${jobId}/events${query}`)
    events.push(...body.data)
    if (!body.has_more) return events
    cursor = body.data.at(-1).id
  }
}
