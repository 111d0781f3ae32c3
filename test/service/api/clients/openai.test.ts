import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import * as z from 'zod'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEmulator } from '../../../../src/index.js'
import { describeTransports, type Api } from '../../../support/transports.js'
import { withStrictAnswers } from './strict-answers.js'

const model = 'example/base-8b-instruct'
const messages = [{ role: 'user' as const, content: 'How is the weather in Rome?' }]

function clientOf({ emulator, fetch: send }: Api): OpenAI {
  const { trainingUrl: baseURL, apiKey } = emulator
  return new OpenAI({ baseURL, apiKey, fetch: withStrictAnswers(send), project: 'team/demo' })
}

const City = z.object({ city: z.string(), days: z.int().min(1).max(7) })

const weather = {
  type: 'function' as const,
  function: { name: 'get_weather', parameters: z.toJSONSchema(City) as Record<string, unknown> },
}

describeTransports('the OpenAI library', (open) => {
  it('streams a completion and joins the chunks', async () => {
    const api = await open()
    const asked = { model, messages, temperature: 0, stream_options: { include_usage: true } }
    const stream = clientOf(api).chat.completions.stream({ ...asked, logprobs: true })
    const streamed = await stream.finalChatCompletion()
    const whole = await clientOf(api).chat.completions.create({ model, messages, temperature: 0 })
    expect(streamed.choices[0]!.message.content).toBe(whole.choices[0]!.message.content)
    expect(streamed.usage).toEqual(whole.usage)
    expect(streamed.choices[0]!.logprobs!.content).toHaveLength(whole.usage!.completion_tokens)
  })

  it('runs tools until there is an answer', async () => {
    const api = await open()
    const given: unknown[] = []
    const runner = clientOf(api).chat.completions.runTools({
      model,
      messages,
      tools: [
        {
          type: 'function',
          function: {
            ...weather.function,
            description: 'Says how the weather will be.',
            function: (text: string) => {
              given.push(City.parse(JSON.parse(text)))
              return 'sunny'
            },
          },
        },
      ],
    })
    expect(await runner.finalContent()).toMatch(/[.!]$/)
    expect(given).toHaveLength(1)
  })

  it('streams tool calls', async () => {
    const api = await open()
    const stream = clientOf(api).chat.completions.stream({ model, messages, tools: [weather] })
    const [call] = (await stream.finalMessage()).tool_calls!
    expect(call).toMatchObject({ type: 'function', function: { name: 'get_weather' } })
    const { function: called } = call as { function: { arguments: string } }
    expect(City.safeParse(JSON.parse(called.arguments)).success).toBe(true)
  })

  it('parses structured answers', async () => {
    const api = await open()
    const { choices } = await clientOf(api).chat.completions.parse({
      model,
      messages,
      response_format: zodResponseFormat(City, 'city'),
    })
    expect(City.safeParse(choices[0]!.message.parsed).success).toBe(true)
  })

  it('reports errors as its own error classes', async () => {
    const rules = [{ match: { user: 'Rome' }, answer: { error: 402 } }]
    const { completions } = clientOf(await open({ scenario: { name: 'x', chat: { rules } } })).chat
    await expect(completions.create({ model, messages })).rejects.toMatchObject({
      status: 402,
      message: expect.stringContaining('current quota'),
    })
    await expect(completions.create({ model: 'other', messages })).rejects.toBeInstanceOf(
      OpenAI.NotFoundError,
    )
    await expect(completions.create({ model, messages, temperature: 9 })).rejects.toMatchObject({
      status: 400,
      param: 'temperature',
    })
  })
})

// Not under MSW: there the library waits for ever for the body that it cancels before it tries again,
// whoever made the handler.
describe('the OpenAI library', () => {
  it('retries calls that it can retry', async () => {
    const answers = [
      { error: 503, retry_after: '1ms' },
      { error: 429, retry_after: '1ms' },
      'At last.',
    ]
    const emulator = createEmulator({ scenario: { name: 'x', chat: { rules: [{ answers }] } } })
    onTestFinished(() => emulator.close())
    await emulator.listen()
    const client = new OpenAI({ baseURL: emulator.trainingUrl, apiKey: emulator.apiKey })
    const { choices } = await client.chat.completions.create({ model, messages })
    expect(choices[0]!.message.content).toBe('At last.')
  })
})
