import type { Answer, Api } from './transports.js'

/** Two groups, rewards 1, 0 and 0.5, 0.5: mean 0.5, and one group from which a policy can learn. */
export const groups = [
  {
    trajectories: [
      { messages_and_choices: turn('What is 2 + 2?', 'Four, I believe.'), reward: 1 },
      { messages_and_choices: turn('What is 2 + 2?', 'Five.'), reward: 0 },
    ],
  },
  {
    trajectories: [
      { messages_and_choices: turn('Name a colour.', 'Blue.'), reward: 0.5 },
      { messages_and_choices: turn('Name a colour.', 'Green.'), reward: 0.5 },
    ],
  },
]

function turn(user: string, assistant: string) {
  return [
    { role: 'user', content: user },
    { role: 'assistant', content: assistant },
  ]
}

export async function createModel(api: Api, name = 'my-model'): Promise<{ id: string }> {
  const base_model = 'example/base-8b-instruct'
  const { body } = await api.post('/preview/models', { project: 'my-project', name, base_model })
  return body
}

export async function startRlJob(api: Api, modelId: string): Promise<string> {
  const { body } = await api.post('/preview/training-jobs', {
    model_id: modelId,
    trajectory_groups: groups,
  })
  return body.id
}

interface Event {
  id: string
  type: string
  data: Record<string, unknown>
}

/** One poll as clients make it: every page, each from where the one before ended. */
export async function listEvents(api: Api, jobId: string, after?: string): Promise<Event[]> {
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
