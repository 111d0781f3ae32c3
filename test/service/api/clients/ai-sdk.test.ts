import { createOpenAI } from '@ai-sdk/openai'
import { APICallError, generateText, Output, stepCountIs, streamText, tool } from 'ai'
import * as z from 'zod'
import { expect, it } from 'vitest'
import { describeTransports, type Api } from '../../../support/transports.js'
import { withStrictAnswers } from './strict-answers.js'

const prompt = 'How is the weather in Rome?'
const City = z.object({ city: z.string(), days: z.int().min(1).max(7) })

function modelOf({ emulator, fetch }: Api, id = 'example/base-8b-instruct') {
  const { inferenceUrl: baseURL, apiKey } = emulator
  return createOpenAI({ baseURL, apiKey, fetch: withStrictAnswers(fetch) }).chat(id)
}

describeTransports('the AI SDK', (open) => {
  it('streams text', async () => {
    const api = await open()
    const asked = { model: modelOf(api), prompt, seed: 1 }
    const { textStream, usage } = streamText(asked)
    let streamed = ''
    for await (const part of textStream) streamed += part
    const whole = await generateText(asked)
    expect(whole.text).toMatch(/[.!]$/)
    expect(whole.finishReason).toBe('stop')
    expect(streamed).toBe(whole.text)
    expect((await usage).outputTokens).toBe(whole.usage.outputTokens)
  })

  it('calls tools, plain and streamed, until there is an answer', async () => {
    const api = await open()
    const given: unknown[] = []
    const weather = tool({
      inputSchema: City,
      execute: (city) => {
        given.push(city)
        return 'sunny'
      },
    })
    const asked = { model: modelOf(api), prompt, tools: { weather }, stopWhen: stepCountIs(3) }
    const { text, steps } = await generateText(asked)
    expect(steps).toHaveLength(2)
    expect(text).toMatch(/[.!]$/)
    expect(await streamText(asked).text).toMatch(/[.!]$/)
    expect(given).toHaveLength(2)
  })

  it('gets structured output', async () => {
    const { output } = await generateText({
      model: modelOf(await open()),
      prompt,
      output: Output.object({ schema: City }),
    })
    expect(City.safeParse(output).success).toBe(true)
  })

  it('reports errors as its own error classes', async () => {
    const asking = generateText({ model: modelOf(await open(), 'other'), prompt })
    await expect(asking).rejects.toSatisfy(
      (error) => APICallError.isInstance(error) && error.statusCode === 404,
    )
  })
})
