import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ask, type Call, type Calls } from './calls.js'

const PAGE = 100
const EVENTS = 10_000
const BASE_MODEL = 'example/base-8b-instruct'
const ANSWER = 'The sky is blue because short waves of light scatter more than long ones do.'
/** One token per chunk: here a word and the space before it. */
export const CHUNKS = 200
export const LONG_ANSWER = ' sure'.repeat(CHUNKS).slice(1)

/** A scenario with an endless job, a job of 10,000 steps, and two chats with fixed answers. */
export function writeScenario(folder: string): string {
  const path = join(folder, 'bench.json')
  const started = { event: 'training_started', after: '1s' }
  const steps = { event: 'gradient_step', every: '1s', count: EVENTS }
  const scenario = {
    name: 'bench',
    jobs: [
      { match: { model: 'long' }, timeline: [started, steps, { event: 'training_ended' }] },
      { timeline: [started, { ...steps, count: 2 }, { event: 'never' }] },
    ],
    chat: {
      rules: [
        { match: { user: 'long' }, answer: LONG_ANSWER },
        { match: { user: 'short' }, answer: ANSWER },
      ],
    },
  }
  writeFileSync(path, JSON.stringify(scenario))
  return path
}

function chatOf(content: string, stream: boolean): string {
  const messages = [{ role: 'user', content }]
  return JSON.stringify({ model: BASE_MODEL, messages, ...(stream && { stream }) })
}

export const chatCalls: Required<Pick<Calls, 'chat' | 'stream'>> = {
  chat: {
    method: 'POST',
    path: '/v1/chat/completions',
    body: chatOf('short', false),
    holds: 'short waves of light',
  },
  stream: {
    method: 'POST',
    path: '/v1/chat/completions',
    body: chatOf('long', true),
    holds: 'data: [DONE]',
  },
}

const trajectories = Array.from({ length: 4 }, (_, index) => ({
  messages_and_choices: [
    { role: 'system', content: 'You are a careful assistant.' },
    { role: 'user', content: 'What is the capital of France?' },
    { role: 'assistant', content: 'Paris.' },
  ],
  reward: index / 4,
}))

/**
 * The call that creates a job of two groups with four trajectories each, and the same without a
 * model.
 */
export function jobCall(model_id: string): Call {
  const trajectory_groups = [{ trajectories }, { trajectories }]
  return {
    method: 'POST',
    path: '/v1/preview/training-jobs',
    body: JSON.stringify({ model_id, trajectory_groups }),
    holds: '"id":',
    wrong: JSON.stringify({ trajectory_groups }),
  }
}

/** Creates the models and jobs for the calls in a new emulator with our scenario. */
export async function openEmulator(url: string): Promise<Required<Calls>> {
  const unpaged = await openUnpaged(url)
  const long = await idOf(await ask(url, jobCall(await modelOf(url, 'long'))))
  await ask(url, { method: 'POST', path: `/_emulator/jobs/${long}/finish`, body: '{}', holds: '' })
  const events = `/v1/preview/training-jobs/${long}/events?limit=${PAGE}`
  const deep = await lastPage(url, events)
  return {
    ...unpaged,
    firstPage: { method: 'GET', path: events, holds: 'training_started' },
    deepPage: { method: 'GET', path: deep, holds: 'gradient_step' },
  }
}

/** The same without the job of 10,000 steps, which fills the journal. */
export async function openUnpaged(
  url: string,
): Promise<Required<Omit<Calls, 'firstPage' | 'deepPage'>>> {
  const post = jobCall(await modelOf(url, 'short'))
  const short = await idOf(await ask(url, post))
  const get = { method: 'GET' as const, path: `/v1/preview/training-jobs/${short}`, holds: short }
  return { get, post, ...chatCalls }
}

interface Answer {
  id: string
  last_id: string
  has_more: boolean
}

async function idOf(response: Response): Promise<string> {
  return ((await response.json()) as Answer).id
}

async function modelOf(url: string, name: string): Promise<string> {
  const body = JSON.stringify({ project: 'bench', name, base_model: BASE_MODEL })
  return idOf(await ask(url, { method: 'POST', path: '/v1/preview/models', body, holds: '' }))
}

/** The last full page. */
async function lastPage(url: string, first: string): Promise<string> {
  let page = first
  for (let read = PAGE; read < EVENTS; read += PAGE) {
    const answer = await ask(url, { method: 'GET', path: page, holds: '' })
    const { last_id: last, has_more: more } = (await answer.json()) as Answer
    if (!more) throw new Error(`${page} is the last page already`)
    page = `${first}&after=${last}`
  }
  return page
}
