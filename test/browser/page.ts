// The code that runs in the page. It calls the service by its real addresses.
import { setupWorker } from 'msw/browser'
import { handlers } from '../../src/msw.js'
import { createEmulator } from '../../src/browser.js'
import { jsonHeaders } from '../support/api-client.js'

const trainingUrl = 'https://api.example.com/v1'
const headers = jsonHeaders()

async function call<Body>(path: string, body?: object): Promise<Body> {
  const init = body && { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(trainingUrl + path, { headers, ...init })
  return (await response.json()) as Body
}

interface Page {
  data: { id: string; type: string }[]
}

async function train(): Promise<string[]> {
  const model = { project: 'demo', name: 'poet', base_model: 'example/base-8b-instruct' }
  const { id: model_id } = await call<{ id: string }>('/preview/models', model)
  const job = { model_id, trajectory_groups: [{ trajectories: [{ reward: 1 }, { reward: 0 }] }] }
  const { id } = await call<{ id: string }>('/preview/training-jobs', job)
  const types: string[] = []
  for (let after = ''; !/ended|failed/.test(types.at(-1) ?? '');) {
    const { data } = await call<Page>(`/preview/training-jobs/${id}/events?after=${after}`)
    types.push(...data.map(({ type }) => type))
    after = data.at(-1)?.id ?? after
  }
  return types
}

async function chatted(): Promise<string> {
  const messages = [{ role: 'user', content: 'Hi' }]
  const body = JSON.stringify({ model: 'example/base-8b-instruct', messages, stream: true })
  const response = await fetch(`${trainingUrl}/chat/completions/`, {
    method: 'POST',
    headers,
    body,
  })
  return response.text()
}

/** As older client libraries call. */
function statusByXhr(): Promise<number> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.open('GET', `${trainingUrl}/health`)
    request.setRequestHeader('authorization', 'Bearer k')
    request.addEventListener('loadend', () => resolve(request.status))
    request.send()
  })
}

export interface Seen {
  types: string[]
  chat: string
  byXhr: number
  lost: string
  requests: number
}

const emulator = createEmulator()
const worker = setupWorker(...handlers(emulator, { trainingUrl }))

/** Called by the test. */
async function run(): Promise<Seen> {
  await worker.start({ quiet: true })
  const seen = { types: await train(), chat: await chatted(), byXhr: await statusByXhr() }
  emulator.faults.add({ fault: 'drop' })
  const lost = await call('/health').then(String, (error: unknown) => (error as Error).name)
  return { ...seen, lost, requests: emulator.journal.entries.length }
}

Object.assign(globalThis, { run })
