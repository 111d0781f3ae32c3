import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ask, type Call, type Calls } from './calls.js'

const BASE_MODEL = 'example/base-8b-instruct'
const ANSWER = 'The sky is blue because short waves of light scatter more than long ones do.'
/** One token per chunk: here a word and the space before it. */
export const CHUNKS = 200

/** A scenario with endless jobs, and two chats with fixed answers. */
export function writeScenario(folder: string): string {
  const path = join(folder, 'bench.json')
  const steps = { event: 'gradient_step', every: '1s', count: 2 }
  const scenario = {
    name: 'bench',
    jobs: [{ timeline: [{ event: 'training_started', after: '1s' }, steps, { event: 'never' }] }],
    chat: {
      rules: [
        { match: { user: 'long' }, answer: ' sure'.repeat(CHUNKS).slice(1) },
        { match: { user: 'short' }, answer: ANSWER },
      ],
    },
  }
  writeFileSync(path, JSON.stringify(scenario))
  return path
}

function post(path: string, sent: object, holds: string): Call {
  return { method: 'POST', path, body: JSON.stringify(sent), holds }
}

function chat(content: string, more: object, holds: string): Call {
  const messages = [{ role: 'user', content }]
  return post('/v1/chat/completions', { model: BASE_MODEL, messages, ...more }, holds)
}

const trajectories = Array.from({ length: 4 }, (_, index) => ({
  messages_and_choices: [
    { role: 'system', content: 'You are a careful assistant.' },
    { role: 'user', content: 'What is the capital of France?' },
    { role: 'assistant', content: 'Paris.' },
  ],
  reward: index / 4,
}))

/** Creates a model and a job for the calls in a new emulator with our scenario. */
export async function openEmulator(url: string): Promise<Required<Calls>> {
  const idOf = async (call: Call): Promise<string> => {
    return ((await (await ask(url, call)).json()) as { id: string }).id
  }
  const model = { project: 'bench', name: 'short', base_model: BASE_MODEL }
  const model_id = await idOf(post('/v1/preview/models', model, ''))
  const jobs = '/v1/preview/training-jobs'
  // Two groups with four trajectories each.
  const submit = post(
    jobs,
    { model_id, trajectory_groups: [{ trajectories }, { trajectories }] },
    '"id":',
  )
  const job = await idOf(submit)
  return {
    get: { method: 'GET', path: `${jobs}/${job}`, holds: job },
    post: submit,
    chat: chat('short', {}, 'short waves of light'),
    stream: chat('long', { stream: true }, 'data: [DONE]'),
  }
}
