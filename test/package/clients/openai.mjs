import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { createEmulator } from 'svtrain-emulator'
import * as z from 'zod'

/** What a user of the OpenAI library does, against a port. Run by with-packages.test.ts. */

const emulator = createEmulator()
await emulator.listen()
after(() => emulator.close())

const { inferenceUrl: baseURL, apiKey } = emulator
const client = new OpenAI({ baseURL, apiKey, project: 'team/demo' })
const { completions } = client.chat
const City = z.object({ city: z.string(), days: z.int().min(1).max(7) })
const asked = {
  model: 'example/base-8b-instruct',
  messages: [{ role: 'user', content: 'How is the weather in Rome?' }],
  temperature: 0,
}

test('plain and streamed are the same', async () => {
  const whole = await completions.create(asked)
  const streamed = await completions.stream(asked).finalChatCompletion()
  assert.deepEqual(streamed.choices[0].message.content, whole.choices[0].message.content)
})

test('n choices with logprobs of each token', async () => {
  const { choices, usage } = await completions.create({
    ...asked,
    temperature: 1,
    n: 2,
    logprobs: true,
  })
  assert.deepEqual(
    choices.map(({ logprobs }) => logprobs.content.map(({ token }) => token).join('')),
    choices.map(({ message }) => `${message.content}<|im_end|>`),
  )
  const tokens = choices.flatMap(({ logprobs }) => logprobs.content)
  assert.equal(tokens.length, usage.completion_tokens)
})

test('tools run until there is an answer', async () => {
  const given = []
  const weather = {
    name: 'get_weather',
    description: 'Says how the weather will be.',
    parameters: z.toJSONSchema(City),
    function: (text) => {
      given.push(City.parse(JSON.parse(text)))
      return 'sunny'
    },
  }
  const runner = completions.runTools({
    ...asked,
    tools: [{ type: 'function', function: weather }],
  })
  assert.match(await runner.finalContent(), /[.!]$/)
  assert.equal(given.length, 1)
})

test('structured answers are parsed', async () => {
  const response_format = zodResponseFormat(City, 'city')
  const { choices } = await completions.parse({ ...asked, response_format })
  City.parse(choices[0].message.parsed)
})

test('what is worth it is tried again', async () => {
  emulator.faults.add({
    fault: 'status',
    status: 503,
    calls: 1,
    headers: { 'retry-after-ms': '1' },
  })
  const { choices } = await completions.create(asked)
  assert.match(choices[0].message.content, /[.!]$/)
  assert.equal(emulator.requests.all().at(-2).status, 503)
})

test('errors are of its own types', async () => {
  await assert.rejects(completions.create({ ...asked, model: 'other' }), OpenAI.NotFoundError)
  await assert.rejects(completions.create({ ...asked, temperature: 9 }), OpenAI.BadRequestError)
})

test('the models are listed', async () => {
  const ids = []
  for await (const { id } of client.models.list()) ids.push(id)
  assert.ok(ids.includes(asked.model))
})
