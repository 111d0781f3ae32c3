import { appendFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { checkRecording, type RecordedDrift } from '../../../src/tools/drift/check-recording.js'
import { readRecording, type Recording } from '../../../src/tools/recording/read-recording.js'
import { Recorder } from '../../../src/tools/recording/recorder.js'
import { recordingFetch } from '../../support/recording-fetch.js'
import { apiClient, BASE_MODEL } from '../../support/api-client.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { createModel, startJob } from '../../support/trainer.js'
import { ownDocument } from './documents.js'

const JOBS = '/preview/training-jobs'
const EVENTS = `${JOBS}/00000000-0000-4000-8000-000000000001/events`
const documents = { training: ownDocument('training'), inference: ownDocument('inference') }

interface Answered {
  path: string
  method?: string
  status?: number
  body: unknown
  type?: string
  how?: 'complete' | 'lost'
}

function recordingOf(...answers: Answered[]): Recording {
  const exchanges = answers.map((each, index) => {
    const { path, method = 'GET', status = 200, body, type = 'application/json' } = each
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const common = { id: index + 1, at: 0 }
    const request = { ...common, host: 'training', method, path, query: '', headers: {} } as const
    return {
      request: { ...request, type: 'request' as const },
      response: { ...common, type: 'response' as const, status, headers: { 'content-type': type } },
      chunks: [{ ...common, type: 'chunk' as const, text }],
      end: { ...common, type: 'end' as const, how: each.how ?? ('complete' as const) },
      text,
    }
  })
  return { start: START, exchanges, cutOff: false }
}

const START = {
  type: 'recording',
  version: 1,
  started_at: '2026-01-01T00:00:00.000Z',
  training_url: 'https://service.test/v1',
  inference_url: 'https://service.test/v1',
  contents: 'redacted',
} as const

function linesOf({ differences }: RecordedDrift): string[] {
  return differences.map(({ severity, id, count, request }) => {
    return `${severity} ${id}, ${count} times, first ${request}`
  })
}

function page(...data: unknown[]): object {
  return { data, has_more: false, first_id: null, last_id: null }
}

const event = { id: '00000000-0000-4000-8000-000000000002', type: 'gradient_step', data: { a: 1 } }

describe('checkRecording', () => {
  it('finds fields, types and values that the emulator does not have', () => {
    const { id: _id, ...withoutId } = event
    const drift = checkRecording(
      recordingOf(
        { path: EVENTS, body: page(event, { ...event, cost: 1 }, { ...event, cost: 2 }) },
        { path: EVENTS, body: page(withoutId, { ...event, type: 'training_paused' }) },
        { path: EVENTS, body: page({ ...event, cost: 3, data: [] }) },
      ),
      documents,
    )
    const root = `GET /v1${JOBS}/{training_job_id}/events → response 200 → data[]`
    const found = linesOf(drift).filter((line) => line.includes('data[]'))
    expect(found).toEqual([
      `additive recorded-field-unknown ${root}.cost, 2 times, first 1`,
      `breaking recorded-field-missing ${root}.id, 1 times, first 2`,
      `breaking recorded-enum-value-new ${root}.type "training_paused", 1 times, first 2`,
      `breaking recorded-type-changed ${root}.data, 1 times, first 3`,
    ])
    expect(drift.responses).toBe(3)
  })

  it('finds operations, statuses and content types that the emulator does not have', () => {
    const drift = checkRecording(
      recordingOf(
        { path: '/preview/reports/12', body: {} },
        { path: '/preview/reports/13', body: {} },
        { path: EVENTS, status: 402, body: { detail: 'Pay' } },
        { path: EVENTS, status: 503, type: 'text/html', body: '<html>' },
        { path: EVENTS, type: 'text/html', body: '<html>' },
        { path: EVENTS, body: '{"data": [' },
        { path: EVENTS, status: 404, body: { detail: 'Training job not found' } },
      ),
      documents,
    )
    const root = `GET /v1${JOBS}/{training_job_id}/events`
    expect(linesOf(drift)).toEqual([
      'additive recorded-operation-unknown GET /preview/reports/{id}, 2 times, first 1',
      `additive recorded-status-unknown ${root} → response 402, 1 times, first 3`,
      `additive recorded-status-unknown ${root} → response 503, 1 times, first 4`,
      `breaking recorded-content-type-unknown ${root} → response 200, 1 times, first 5`,
      `breaking recorded-not-json ${root} → response 200, 1 times, first 6`,
    ])
  })

  it('accepts contents that were redacted', () => {
    const redacted = { ...event, data: '[redacted 12 characters]' }
    const { differences } = checkRecording(
      recordingOf({ path: EVENTS, body: page(redacted) }),
      documents,
    )
    expect(differences.filter(({ place }) => place.includes('data[]'))).toEqual([])
  })

  it('finds new events in the stream of a chat', () => {
    const chunk = { id: 'a', object: 'chat.completion.chunk', created: 1, model: 'b', choices: [] }
    const stream = [chunk, { ...chunk, object: 'chat.completion.notice' }, { ...chunk, cost: 1 }]
    const drift = checkRecording(
      recordingOf({
        path: '/chat/completions',
        method: 'POST',
        type: 'text/event-stream',
        body: [...stream.map((each) => `data: ${JSON.stringify(each)}\n\n`), 'data: [DONE]'].join(
          '',
        ),
      }),
      documents,
    )
    const root = 'POST /v1/chat/completions → response 200 (text/event-stream)'
    expect(linesOf(drift)).toEqual([
      `breaking recorded-enum-value-new ${root} → object "chat.completion.notice", 1 times, first 1`,
      `additive recorded-field-unknown ${root} → cost, 1 times, first 1`,
    ])
  })

  it('leaves out other streams and incomplete responses', () => {
    const drift = checkRecording(
      recordingOf(
        { path: EVENTS, type: 'text/event-stream', body: 'data: {}' },
        { path: EVENTS, body: '{', how: 'lost' },
      ),
      documents,
    )
    expect(drift).toEqual({ differences: [], responses: 0, skipped: 2 })
  })
})

it('finds no drift in a recording of the emulator', async () => {
  const emulator = createEmulator({ clock: 'manual', scenario: 'happy-path' })
  onTestFinished(() => emulator.close())
  const file = join(temporaryFolder(), 'recording.ndjson')
  const { trainingUrl, inferenceUrl } = emulator
  const recorder = new Recorder({
    trainingUrl,
    inferenceUrl,
    write: (line) => appendFileSync(file, `${line}\n`),
  })
  const client = apiClient(
    emulator,
    recordingFetch({ recorder, trainingUrl, inferenceUrl, fetch: emulator.fetch }),
  )
  const model = await createModel(client, 'poet')
  const job = await startJob(client, model.id)
  await emulator.settle()
  const paths = [
    `/preview/training-jobs/${job}`,
    `/preview/training-jobs/${job}/events`,
    `/preview/models/${model.id}/checkpoints`,
    '/preview/models/unknown/checkpoints',
    '/preview/base-models',
    '/health',
  ]
  for (const path of paths) await client.get(path)
  const messages = [{ role: 'user', content: 'Hello' }]
  const chat = { model: BASE_MODEL, messages, logprobs: true, top_logprobs: 1 }
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
  await client.post('/chat/completions', chat)
  await client.post('/chat/completions', { ...chat, tools, tool_choice: 'required' })
  const stream = { ...chat, stream: true, stream_options: { include_usage: true } }
  await client.inference.post('/chat/completions', stream)
  await client.inference.post('/chat/completions', { ...stream, tools, tool_choice: 'required' })
  await client.inference.post('/chat/completions', { ...chat, messages: 1 })
  await client.get('/preview/none')
  const drift = checkRecording(await readRecording(dirname(file)), documents)
  expect(linesOf(drift)).toEqual([
    'additive recorded-operation-unknown GET /preview/none, 1 times, first 14',
  ])
  expect(drift.responses).toBe(14)
})
