/** The calls that are measured, of the emulator and of its earlier versions. */
import type { Call } from './calls.js'

/** One token per chunk of a stream: here a word and the space before it. */
const CHUNKS = 200

/** Each call is a column of the tables. The number is how often it is made in one round beside earlier versions. */
export const MEASURED = {
  get: { column: 'GET of a record', times: 1000 },
  small: { column: 'submit, small', times: 300 },
  large: { column: 'submit, 16 × 8 turns', times: 16 },
  chat: { column: 'chat', times: 300 },
  given: { column: 'chat, answer given', times: 300 },
  stream: { column: `streamed, ${CHUNKS} chunks`, times: 100 },
  page: { column: 'page of 100 events', times: 150 },
  refused: { column: 'refused call', times: 800 },
} as const
export type CallName = keyof typeof MEASURED
export const CALL_NAMES = Object.keys(MEASURED) as CallName[]

/** Calls of a server. Not each server can do all. */
export type Calls = Partial<Record<CallName, Call>>

/** The job of one model has events for a page. The other jobs are short. Two questions have given answers. */
export const SCENARIO = {
  name: 'bench',
  jobs: [{ match: { model: 'long' }, timeline: jobOf(300) }, { timeline: jobOf(2) }],
  chat: {
    rules: [
      { match: { user: 'given' }, answer: 'Short waves scatter more than long ones.' },
      { match: { user: 'streamed' }, answer: ' sure'.repeat(CHUNKS).slice(1) },
    ],
  },
}

function jobOf(count: number): object[] {
  const steps = { event: 'gradient_step', every: '1s', count }
  return [{ event: 'training_started', after: '1s' }, steps, { event: 'training_ended' }]
}

const BASE_MODEL = 'example/base-8b-instruct'
const JOBS = '/v1/preview/training-jobs'
/** Stands in a text for the number of the call. */
const NUMBER = '00000000'

/** How time passes: jobs end at once, never, or as they do for users. */
export type Clock = 'instant' | 'manual' | 'real'

/** Creates what the calls need in a new emulator. `ask` makes a call, and returns the answer. */
export async function callsOfEmulator(
  ask: (call: Call) => Promise<string>,
  clock: Clock,
): Promise<Record<CallName, Call>> {
  const idOf = async (call: Call): Promise<string> => {
    return (JSON.parse(await ask(call)) as { id: string }).id
  }
  const modelOf = (name: string): Promise<string> => {
    const body = JSON.stringify({ project: 'bench', name, base_model: BASE_MODEL })
    return idOf({ method: 'POST', path: '/v1/preview/models', body, holds: '"id":' })
  }
  const model_id = await modelOf('short')
  const short = await idOf(submit(model_id, 2, 1))
  const long = await idOf(submit(await modelOf('long'), 2, 1))
  const finish = `/_emulator/jobs/${long}/finish`
  if (clock !== 'instant') await ask({ method: 'POST', path: finish, body: '{}', holds: long })
  return {
    get: { method: 'GET', path: `${JOBS}/${short}`, holds: short },
    small: submit(model_id, 2, 1),
    large: submit(model_id, 16, 8),
    chat: chat('invented', {}, '"usage":'),
    given: chat('given', {}, 'Short waves'),
    stream: chat('streamed', { stream: true }, 'data: [DONE]'),
    page: { method: 'GET', path: `${JOBS}/${long}/events?limit=100`, holds: 'gradient_step' },
    refused: { ...post(JOBS, { model_id, trajectory_groups: NUMBER }, 'list_type'), status: 422 },
  }
}

function chat(answer: string, options: object, holds: string): Call {
  const messages = [{ role: 'user', content: `Question ${NUMBER}, whose answer is ${answer}.` }]
  return post('/v1/chat/completions', { model: BASE_MODEL, messages, ...options }, holds)
}

/** Submits trajectories, each of so many turns with log probabilities. */
function submit(model_id: string, trajectories: number, turns: number): Call {
  const trajectory_groups = Array.from({ length: Math.ceil(trajectories / 4) }, (_, group) => ({
    trajectories: Array.from({ length: Math.min(4, trajectories) }, (__, place) => ({
      messages_and_choices: Array.from({ length: turns }, (___, turn) =>
        turnOf(`${turn} of ${group}.${place} of ${NUMBER}`),
      ).flat(),
      reward: place / 4,
      metrics: {},
      metadata: {},
    })),
  }))
  return post(JOBS, { model_id, trajectory_groups }, '"id":')
}

function turnOf(name: string): object[] {
  const content = `The answer to question ${name}, and the reason for it.`
  const tokens = content.split(/(?= )/).map((token, index) => ({
    token,
    bytes: [...Buffer.from(token)],
    logprob: -index / 10,
    top_logprobs: [],
  }))
  const message = { role: 'assistant', content }
  return [
    { role: 'user', content: `Question ${name}` },
    { index: 0, finish_reason: 'stop', message, logprobs: { content: tokens, refusal: null } },
  ]
}

/** A call with a body whose number is another one each time. */
function post(path: string, sent: object, holds: string): Call {
  const body = JSON.stringify(sent)
  let number = 0
  const fresh = (): string => body.replaceAll(NUMBER, String(++number).padStart(8, '0'))
  return { method: 'POST', path, body, fresh, holds }
}
