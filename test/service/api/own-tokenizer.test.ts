import { Tokenizer } from '@huggingface/tokenizers'
import { expect, it } from 'vitest'
import { createEmulator, type EmulatorOptions, type ScenarioInput } from '../../../src/index.js'
import { clientOf } from '../../support/api-client.js'
import { tokenizerContent, TOKENIZER_FOLDER } from '../../support/tokenizer.js'
import { describeInProcess } from '../../support/transports.js'
import { ask, replyTo, tokensUpTo, type Message } from './turns.js'

const model = 'org/model'
const { tokenizer: file, config } = tokenizerContent()
const tokenizer = new Tokenizer(file, config)

/** The ids of a text that the template wrote. */
function idsOf(text: string): number[] {
  return tokenizer.encode(text, { add_special_tokens: false }).ids
}

function textOf(ids: readonly number[]): string {
  return tokenizer.decode([...ids], { skip_special_tokens: false })
}

const tool = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

const scenario: ScenarioInput = {
  name: 'x',
  chat: {
    rules: [
      { match: { user: 'text' }, answer: 'Zażółć 👩‍👩‍👧 日本語, and  two spaces.' },
      { match: { user: 'think' }, answer: '<think>\nTwo and two.\n</think>\n\n4' },
    ],
  },
}

const own: EmulatorOptions = { scenario, baseModels: [{ id: model, tokenizer: TOKENIZER_FOLDER }] }
const messages: Message[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'text' },
]

describeInProcess('a base model with a tokenizer', (open) => {
  it('has the tokens of its tokenizer and its chat template', async () => {
    const api = await open(own)
    const prompt =
      '<|start|>system\nBe brief.<|end|>\n<|start|>user\ntext<|end|>\n<|start|>assistant\n'
    const answer = 'Zażółć 👩‍👩‍👧 日本語, and  two spaces.'
    const body = { model, messages, logprobs: true, return_token_ids: true }
    const { body: chat } = await api.post('/chat/completions', body)
    expect(chat.prompt_token_ids).toEqual(idsOf(prompt))
    const [{ message, token_ids: ids, logprobs }] = chat.choices
    expect(message.content).toBe(answer)
    expect(ids).toEqual(idsOf(`${answer}<|end|>`))
    expect(chat.usage).toEqual({
      prompt_tokens: idsOf(prompt).length,
      completion_tokens: ids.length,
      total_tokens: idsOf(prompt).length + ids.length,
    })
    const tokens = logprobs.content as { token: string; bytes: number[] }[]
    expect(tokens.map(({ token }) => token).join('')).toBe(`${answer}<|end|>`)
    const bytes = tokens.flatMap((each) => each.bytes)
    expect(new TextDecoder().decode(new Uint8Array(bytes))).toBe(`${answer}<|end|>`)
  })

  it('gives its tokens to models that are trained from it', async () => {
    const api = await open(own)
    await api.emulator.models.create({ project: 'p', name: 'poet', base_model: model })
    const [one, two] = [
      await ask(api, { model, messages }),
      await ask(api, { model: 'artifact:///local-team/p/poet', messages }),
    ]
    expect(two.prompt).toEqual(one.prompt)
    const { prompt } = await ask(api, { messages })
    expect(prompt).not.toEqual(one.prompt)
  })

  it('has the tools and the settings of the template in the prompt', async () => {
    const api = await open(own)
    const rendered = async (more: object): Promise<string> => {
      return textOf((await ask(api, { model, messages, ...more })).prompt)
    }
    expect(await rendered({ tools: [tool] })).toContain(
      '<|start|>tools\n{"type": "function", "function": {"name": "get_weather", "description": null, "parameters": {"type": "object", ',
    )
    const closed = { chat_template_kwargs: { enable_thinking: false } }
    expect(await rendered(closed)).toMatch(/<\|start\|>assistant\n<think>\n\n<\/think>\n\n$/)
  })

  it('cuts answers after that many of its tokens', async () => {
    const api = await open(own)
    const asked = { model, messages: [{ role: 'user', content: 'text' }], max_tokens: 3 }
    const { body } = await api.post('/chat/completions', { ...asked, return_token_ids: true })
    const [{ message, token_ids: ids, finish_reason: reason }] = body.choices
    expect(ids).toEqual(idsOf('Zażółć').slice(0, ids.length))
    expect(message.content).toBe(textOf(ids))
    expect(reason).toBe('length')
    expect(body.usage.completion_tokens).toBe(ids.length)
  })

  it('fits prompts into the window in its tokens', async () => {
    const { length } = idsOf('<|start|>user\ntext<|end|>\n<|start|>assistant\n')
    const asked = { model, messages: [{ role: 'user', content: 'text' }] }
    const statusIn = async (contextWindow: number): Promise<number> => {
      const baseModels = [{ id: model, contextWindow, tokenizer: TOKENIZER_FOLDER }]
      const api = await open({ scenario, baseModels })
      return (await api.post('/chat/completions', asked)).status
    }
    expect([await statusIn(length), await statusIn(length + 1)]).toEqual([400, 200])
  })

  it('refuses a prompt that is far too long, and accepts a long one that fits', async () => {
    const api = await open(own)
    const statusOf = async (content: string): Promise<number> => {
      const asked = { model, messages: [{ role: 'user', content }], max_tokens: 1 }
      return (await api.post('/chat/completions', asked)).status
    }
    expect(await statusOf('It is sunny. '.repeat(50_000))).toBe(400)
    expect(await statusOf('It is sunny. '.repeat(20_000))).toBe(400)
    expect(await statusOf('configuration'.repeat(5500))).toBe(200)
  })

  it('answers 400 with the words of a template that refuses a conversation', async () => {
    const api = await open(own)
    const asked = { model, messages: [{ role: 'assistant', content: 'Hello.' }] }
    const { status, body } = await api.post('/chat/completions', asked)
    expect(status).toBe(400)
    expect(body.error).toEqual({
      message: 'A conversation begins with a system or user message, not assistant',
      type: 'BadRequestError',
      param: null,
      code: 400,
    })
  })

  it('does not continue them if the template strips the thinking', async () => {
    const api = await open(own)
    const asked: Message[] = [{ role: 'user', content: 'think' }]
    const first = await ask(api, { model, messages: asked })
    const [choice] = first.choices
    const next = [...asked, choice!.message, ...replyTo(choice!.message, 'And then?')]
    const { prompt } = await ask(api, { model, messages: next })
    expect(textOf(prompt)).toContain('<|start|>assistant\n4<|end|>')
    const sampled = tokensUpTo(first, choice!)
    expect(prompt.slice(0, sampled.length)).not.toEqual(sampled)
  })
})

it('The template gets numbers and keys as they were sent', async () => {
  const shown =
    '{{ raise_exception((tools | tojson) ~ messages[0].tool_calls[0].function.arguments) }}'
  const files = { ...tokenizerContent(), chatTemplate: shown }
  const emulator = createEmulator({ baseModels: [{ id: 'org/model', tokenizer: files }] })
  const args = '{"b": 1.0, "1": 12345678901234567890}'
  const calls = `[{"id": "a", "type": "function", "function": {"name": "f", "arguments": ${JSON.stringify(args)}}}]`
  const parameters = '{"maximum": 9223372036854775807, "minimum": 1.0}'
  const asked = `{"model": "org/model", "tools": [{"type": "function", "function": {"name": "f", "parameters": ${parameters}}}],
    "messages": [{"role": "assistant", "content": "", "tool_calls": ${calls}}]}`
  const { error } = (await clientOf(emulator).post('/chat/completions', asked)).body
  expect(error.message).toContain(`"parameters": ${parameters}`)
  expect(error.message).toContain("{'b': 1.0, '1': 12345678901234567890}")
})
