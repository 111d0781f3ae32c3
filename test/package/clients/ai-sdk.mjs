import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createOpenAI } from '@ai-sdk/openai'
import { APICallError, generateText, isStepCount, Output, streamText, tool } from 'ai'
import { createEmulator } from 'svtrain-emulator'
import * as z from 'zod'

/** What a user of the AI SDK does, against a port. Run by with-packages.test.ts. */

const emulator = createEmulator()
await emulator.listen()
after(() => emulator.close())

const { inferenceUrl: baseURL, apiKey } = emulator
const openai = createOpenAI({ baseURL, apiKey })
const City = z.object({ city: z.string(), days: z.int().min(1).max(7) })
const asked = {
  model: openai.chat('example/base-8b-instruct'),
  prompt: 'How is the weather in Rome?',
  temperature: 0,
}

test('plain and streamed are the same', async () => {
  const whole = await generateText(asked)
  const streamed = streamText(asked)
  assert.equal(await streamed.text, whole.text)
  assert.equal((await streamed.usage).outputTokens, whole.usage.outputTokens)
})

test('logprobs of each token', async () => {
  const providerOptions = { openai: { logprobs: 1 } }
  const { text, providerMetadata } = await generateText({ ...asked, providerOptions })
  const tokens = providerMetadata.openai.logprobs.map(({ token }) => token)
  assert.equal(tokens.join(''), `${text}<|im_end|>`)
})

test('tools are called, plain and streamed, until there is an answer', async () => {
  const given = []
  const weather = tool({
    inputSchema: City,
    execute: (city) => {
      given.push(city)
      return 'sunny'
    },
  })
  const withTools = { ...asked, tools: { weather }, stopWhen: isStepCount(3) }
  assert.match((await generateText(withTools)).text, /[.!]$/)
  assert.match(await streamText(withTools).text, /[.!]$/)
  assert.equal(given.length, 2)
})

test('structured output satisfies its schema', async () => {
  const { output } = await generateText({ ...asked, output: Output.object({ schema: City }) })
  City.parse(output)
})

test('what is worth it is tried again', async () => {
  emulator.faults.add({
    fault: 'status',
    status: 503,
    calls: 1,
    headers: { 'retry-after-ms': '1' },
  })
  assert.match((await generateText(asked)).text, /[.!]$/)
  assert.equal(emulator.requests.all().at(-2).status, 503)
})

test('errors are of its own types', async () => {
  const asking = generateText({ ...asked, model: openai.chat('other') })
  await assert.rejects(
    asking,
    (error) => APICallError.isInstance(error) && error.statusCode === 404,
  )
})
