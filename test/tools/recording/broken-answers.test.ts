import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEmulator, type Emulator } from '../../../src/index.js'
import { readInput } from '../../../src/tools/recording/read-events.js'
import { scenarioFrom, type MadeScenario } from '../../../src/tools/recording/scenario-from.js'
import { checkScenario } from '../../../src/service/scenario/check-scenario.js'
import { BASE_MODEL, clientOf } from '../../support/api-client.js'
import { chat } from '../../support/trainer.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { recordedCall } from './recorded-call.js'

const match = { operation: 'createChatCompletion' }

/** Makes a scenario of a file. */
async function scenarioOf(name: string, text: string): Promise<MadeScenario> {
  const file = join(temporaryFolder(), name)
  writeFileSync(file, text)
  const input = await readInput(file)
  if (input.kind === 'events' || input.kind === 'played') throw new Error('It has no calls.')
  return scenarioFrom({ ...input, source: name, name: 'made' })
}

const asked = {
  model: BASE_MODEL,
  messages: [{ role: 'user', content: 'Name a color.' }],
  logprobs: true,
  return_token_ids: true,
}

/** What a client gets of a chat. */
interface Answer {
  headers: Readonly<Record<string, string>>
  body: string
}

/** A recording of a chat, and a HAR file of another tool. */
const sources: Record<string, (answer: Answer) => Promise<MadeScenario>> = {
  'a recording': (answer) => fromRecording(answer, true),
  'a recording without contents': (answer) => fromRecording(answer, false),
  'a HAR file': ({ headers, body }) => {
    const entry = {
      startedDateTime: '2026-01-01T00:00:00Z',
      time: 40,
      request: {
        method: 'POST',
        url: 'https://api.example.com/v1/chat/completions',
        headers: [],
        postData: { text: JSON.stringify(asked) },
      },
      response: {
        status: 200,
        headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
        content: { size: body.length, text: body },
      },
    }
    return scenarioOf('requests.har', JSON.stringify({ log: { entries: [entry] } }))
  },
}

function fromRecording(answer: Answer, contents: boolean): Promise<MadeScenario> {
  const { text } = recordedCall(
    { path: '/v1/chat/completions', body: JSON.stringify(asked) },
    answer,
    { contents },
  )
  return scenarioOf('recording.ndjson', text)
}

/** Asks an emulator with a fault. */
async function asking(fault: object, stream: boolean): Promise<Emulator> {
  const faults = [{ ...fault, match }]
  const emulator = createEmulator({ scenario: checkScenario({ name: 'own', faults }) })
  onTestFinished(() => emulator.close())
  await chat(clientOf(emulator), 'Name a color.', { ...asked, stream }).catch(() => undefined)
  return emulator
}

/** Returns the answer of an emulator. */
async function answerOf(fault: object, stream: boolean): Promise<Answer> {
  const { requests } = await asking(fault, stream)
  const { response } = requests.find({ operation: 'createChatCompletion', status: 200 })
  return { headers: response!.headers, body: response!.text! }
}

const EVENTS = { 'content-type': 'text/event-stream' }
const FINISHED = 'choices.*.finish_reason'
const chunk = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, logprobs: {}, token_ids: [1] }] })}\n\n`

describe.each(Object.entries(sources))('%s keeps', (source, from) => {
  it.each([
    [{ fault: 'status', status: 500, stage: 'mid_body' }, true],
    [{ fault: 'status', status: 429, stage: 'mid_body', message: 'too many' }, true],
    [{ fault: 'malformed', form: 'truncated' }, true],
    [{ fault: 'malformed', form: 'empty' }, true],
    [{ fault: 'edit', remove: [FINISHED] }, true],
    [{ fault: 'edit', remove: [FINISHED, 'choices.*.logprobs'] }, true],
    [{ fault: 'edit', set: { [FINISHED]: null } }, true],
    [{ fault: 'edit', remove: [FINISHED, 'choices.*.token_ids'] }, false],
    [{ fault: 'edit', set: { [FINISHED]: 'abort' } }, false],
    [{ fault: 'edit', remove: 'choices', set: { error: { code: 500 } } }, false],
  ])('%j of an answer (as a stream: %s)', async (fault, stream) => {
    const { scenario } = await from(await answerOf(fault, stream))
    expect(scenario.faults).toMatchObject([{ ...fault, match }])
  })

  it('an error within the stream of another service', async () => {
    const error = { message: 'engine died' }
    const body = `${chunk('Hel')}data: ${JSON.stringify({ error })}\n\n`
    const { scenario } = await from({ headers: EVENTS, body })
    expect(scenario.faults).toMatchObject([
      { fault: 'status', status: 500, stage: 'mid_body', body: { error } },
    ])
    expect(scenario.chat.rules).toEqual([])
  })

  it('a stream that ends early, and says what is different', async () => {
    const { scenario, losses, text } = await from({ headers: EVENTS, body: chunk('Hel') })
    expect(scenario.faults).toMatchObject([{ fault: 'drop', stage: 'mid_body', match }])
    expect(scenario.chat.rules).toEqual([])
    const loss =
      '1 stream ended early, without finish_reason and [DONE], and without an error. Here the connection is dropped.'
    expect(losses).toEqual([loss])
    expect(text.replaceAll('\n# ', ' ')).toContain(loss)
  })

  it('a whole stream without a fault', async () => {
    const { scenario, losses } = await from(await answerOf({ fault: 'delay', delay: '0s' }, true))
    expect(scenario.faults).toEqual([])
    expect(losses).toEqual([])
  })
})

it.each(['shown', 'redacted'] as const)(
  'an error within a stream of the emulator is in its trace and its HAR file (contents %s)',
  async (contents) => {
    const fault = { fault: 'status', status: 503, stage: 'mid_body' }
    const emulator = await asking(fault, true)
    const { scenario } = await scenarioOf(
      'own.har',
      JSON.stringify(await emulator.har({ contents })),
    )
    expect(scenario.faults).toMatchObject([{ ...fault, match }])
    expect(emulator.trace()).toMatch(
      /^What failed:\n.*POST \/v1\/chat\/completions 200; fault 1: 503 within the stream/,
    )
  },
)
