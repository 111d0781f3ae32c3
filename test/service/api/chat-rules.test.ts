import { describe, expect, it, vi } from 'vitest'
import { Libraries } from '../../../src/service/engine/chat/libraries.js'
import { checkScenario } from '../../../src/service/scenario/check-scenario.js'
import { createEmulator, type ScenarioInput } from '../../../src/index.js'
import { chat, createModel, startJob } from '../../support/trainer.js'
import { describeTransports, type Api, type Open } from '../../support/transports.js'
import { clientOf, jsonHeaders } from '../../support/api-client.js'

const base = 'example/base-8b-instruct'
type Rules = NonNullable<NonNullable<ScenarioInput['chat']>['rules']>

async function ruled(open: Open, ...rules: Rules): Promise<Api> {
  return open({ scenario: { name: 'ruled', chat: { rules } } })
}

async function ask(api: Api, content: string, more: Record<string, unknown> = {}) {
  return (await chat(api, content, more)).body
}

async function answerTo(api: Api, content: string, more?: Record<string, unknown>) {
  return (await ask(api, content, more)).choices[0].message.content
}

describeTransports('chat rules', (open) => {
  it('match a part of the user message, all of it, or a regular expression', async () => {
    const api = await ruled(
      open,
      { match: { user: 'colour' }, answer: 'Blue.' },
      { match: { user: { is: 'Hello' } }, answer: 'Hello to you.' },
      { match: { user: { matches: '(?i)weather in (\\w+)' } }, answer: '{{match.1}}: rain.' },
      { match: { user: { matches: 'my name is (?P<who>\\w+)' } }, answer: 'Hi {{ match.who }}!' },
      { answer: '{{user}}? {{name}} at step {{step}} cannot say.' },
    )
    expect(await answerTo(api, 'Name a colour.')).toBe('Blue.')
    expect(await answerTo(api, 'Hello')).toBe('Hello to you.')
    expect(await answerTo(api, 'WEATHER IN Rome')).toBe('Rome: rain.')
    expect(await answerTo(api, 'I said my name is Ann.')).toBe('Hi Ann!')
    expect(await answerTo(api, 'Hello you')).toBe(`Hello you? ${base} at step 0 cannot say.`)
  })

  it('match the system message, the turn, tools and headers', async () => {
    const api = await ruled(
      open,
      { match: { headers: { 'X-Team': 'red*' } }, answer: 'red' },
      { match: { tools: 'get_*' }, answer: 'tools' },
      { match: { tools: true }, answer: 'other tools' },
      { match: { system: 'terse', turn: { at_least: 2 } }, answer: 'terse, later' },
      { match: { system: 'terse' }, answer: 'terse' },
      { match: { tools: false }, answer: 'none of it' },
    )
    const tools = [{ type: 'function', function: { name: 'get_time' } }]
    const others = [{ type: 'function', function: { name: 'find_time' } }]
    expect(await answerTo(api, 'hi', { tools })).toBe('tools')
    expect(await answerTo(api, 'hi', { tools: others })).toBe('other tools')
    expect(await answerTo(api, 'hi')).toBe('none of it')
    const terse = { role: 'system', content: [{ type: 'text', text: 'Be terse.' }] }
    const turn = { role: 'user', content: 'hi' }
    const reply = { role: 'assistant', content: 'ho' }
    expect(await answerTo(api, '', { messages: [terse, turn] })).toBe('terse')
    const later = [terse, turn, reply, turn]
    expect(await answerTo(api, '', { messages: later })).toBe('terse, later')
    const asked = { model: base, messages: [turn] }
    const headers = { 'x-team': 'red-7' }
    const { body } = await api.post('/chat/completions', asked, { headers })
    expect(body.choices[0].message.content).toBe('red')
  })

  it('match the model and the step of its checkpoint', async () => {
    const api = await ruled(
      open,
      { match: { model: 'my-*', step: { at_least: 1 } }, answer: 'trained' },
      { match: { model: 'my-*' }, answer: 'untrained' },
      { answer: 'base' },
    )
    const { id } = await createModel(api)
    await startJob(api, id)
    api.emulator.clock.advance('1m')
    const model = 'artifact:///local-team/my-project/my-model'
    expect(await answerTo(api, 'hi', { model })).toBe('trained')
    expect(await answerTo(api, 'hi', { model: `${model}:step0` })).toBe('untrained')
    expect(await answerTo(api, 'hi')).toBe('base')
  })

  it('give their answers in turn, then repeat the last one or start again', async () => {
    const api = await ruled(
      open,
      { match: { user: 'again' }, answers: ['one', 'two'], repeat: true },
      { answers: ['one', { error: 503 }, 'three'] },
    )
    const again: string[] = []
    for (let time = 0; time < 3; time++) again.push(await answerTo(api, 'again'))
    expect(again).toEqual(['one', 'two', 'one'])
    expect(await answerTo(api, 'x')).toBe('one')
    expect(await ask(api, 'x')).toMatchObject({ error: { code: 503 } })
    expect([await answerTo(api, 'x'), await answerTo(api, 'x')]).toEqual(['three', 'three'])
  })

  it('call tools, refuse, and end for another reason', async () => {
    const api = await ruled(
      open,
      {
        match: { user: { matches: 'in (\\w+)' } },
        answer: { tool_calls: [{ name: 'weather', arguments: { city: '{{match.1}}', days: 2 } }] },
      },
      { match: { user: 'bomb' }, answer: { refusal: 'I cannot help with that.' } },
      { answer: { content: 'I was', finish_reason: 'content_filter' } },
    )
    const [called] = (await ask(api, 'How is it in Rome?')).choices
    const weather = { type: 'function', function: { name: 'weather' } }
    expect(called).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: null, tool_calls: [weather] },
    })
    const given: unknown = JSON.parse(called.message.tool_calls[0].function.arguments)
    expect(given).toEqual({ city: 'Rome', days: 2 })
    expect((await ask(api, 'a bomb')).choices[0]).toMatchObject({
      message: { content: null, refusal: 'I cannot help with that.' },
      finish_reason: 'stop',
    })
    expect((await ask(api, 'x')).choices[0].finish_reason).toBe('content_filter')
  })

  it('can be functions in TypeScript', async () => {
    const api = await ruled(open, {
      match: ({ messages }) => messages.length === 1,
      answer: async ({ user, body }) => ({ content: `${user} ${String(body.temperature)}` }),
    })
    expect(await answerTo(api, 'hi', { temperature: 0.5 })).toBe('hi 0.5')
  })
})

describeTransports('the pace of a chat', (open) => {
  const pace = { first_token: '2s', tokens_per_second: 10 }
  const paced = { pace, rules: [{ answer: 'one two three four' }] }

  it('delays an answer until the time of its last token', async () => {
    const api = await open({ scenario: { name: 'paced', chat: paced } })
    const start = api.emulator.clock.now()
    const asking = ask(api, 'hi').then(() => api.emulator.clock.now() - start)
    await api.emulator.settle(asking)
    expect(await asking).toBe(2300)
  })

  it('needs no waiting with a clock that skips time', async () => {
    const api = await open({ clock: 'auto', scenario: { name: 'paced', chat: paced } })
    const start = api.emulator.clock.now()
    const text: string = await ask(api, 'hi', { stream: true })
    expect(text.split('data: ')).toHaveLength(1 + 1 + 4 + 2)
    expect(api.emulator.clock.now() - start).toBe(2300)
  })

  it('varies by its jitter, in the same way in every run', async () => {
    const took = async (): Promise<number> => {
      const scenario = { name: 'paced', chat: { ...paced, pace: { ...pace, jitter: 0.5 } } }
      const api = await open({ clock: 'auto', scenario })
      const start = api.emulator.clock.now()
      await ask(api, 'hi')
      return api.emulator.clock.now() - start
    }
    const first = await took()
    expect(first).not.toBe(2300)
    expect(first).toBeGreaterThan(1100)
    expect(await took()).toBe(first)
  })
})

describeTransports('the limit of concurrent chats', (open) => {
  it('refuses a chat above the limit of a project, and counts per project', async () => {
    const api = await open({
      scenario: {
        name: 'limited',
        chat: { concurrency: 1, pace: { first_token: '1s' }, rules: [{ answer: 'one two' }] },
      },
    })
    const asked = { model: base, messages: [{ role: 'user', content: 'hi' }] }
    const post = (project: string) =>
      api.inference.post('/chat/completions', asked, { headers: { 'service-project': project } })
    const all = Promise.all([post('team/a'), post('team/a'), post('team/b')])
    // Time moves once the two of one project have met: a port may hand over the second late.
    await api.emulator.requests.waitFor({ status: 429 })
    await api.emulator.settle(all)
    const statuses = (await all).map(({ status }) => status)
    expect(statuses.sort((a, b) => a - b)).toEqual([200, 200, 429])
    const refused = (await all).find(({ status }) => status === 429)!
    expect(refused.body.error.message).toBe('Concurrency limit reached for requests')
    const last = post('team/a')
    await api.emulator.settle(last)
    expect(api.emulator.journal.entries.at(-1)).toMatchObject({
      usage: { project: 'team/a', prompt_tokens: 9, completion_tokens: 3 },
      effects: [`answered as ${base} with 3 tokens; team/a is at 24 tokens in 2 chats`],
    })
  })
})

describe('a slot of the limit of concurrent chats', () => {
  it.each([
    { fault: 'drop', stage: 'after' },
    { fault: 'hang', stage: 'after' },
    { fault: 'status', status: 503, stage: 'after' },
    { fault: 'malformed', form: 'html' },
  ] as const)('is free again if the stream is never sent: %j', async (fault) => {
    const emulator = createEmulator({ scenario: { name: 'limited', chat: { concurrency: 1 } } })
    emulator.faults.add({ ...fault, calls: 1 })
    const messages = [{ role: 'user', content: 'hi' }]
    const stream = (signal?: AbortSignal) =>
      emulator.fetch(`${emulator.inferenceUrl}/chat/completions`, {
        method: 'POST',
        headers: jsonHeaders('key'),
        body: JSON.stringify({ model: base, messages, stream: true }),
        ...(signal && { signal }),
      })
    await stream(AbortSignal.timeout(50)).catch(() => 'lost')
    expect((await stream()).status).toBe(200)
  })
})

it('a chat is answered by the scenario that applies once its libraries are loaded', async () => {
  const emulator = createEmulator({
    scenario: { name: 'old', chat: { rules: [{ answer: 'old' }] } },
  })
  const rules = [{ match: { user: { matches: 'h.' } }, answer: 'new' }]
  vi.spyOn(Libraries.prototype, 'load').mockImplementationOnce(function (this: Libraries, needs) {
    const loading = this.load(needs)
    emulator.follow({ name: 'new', chat: { rules } })
    return loading
  })
  const { body } = await chat(clientOf(emulator), 'hi')
  expect(body.choices[0].message.content).toBe('new')
})

describe('an answer function', () => {
  const replying = async (reply: unknown, content = 'hi') => {
    const answer = (() => reply) as () => string
    const emulator = createEmulator({ scenario: { name: 'x', chat: { rules: [{ answer }] } } })
    return { emulator, ...(await chat(clientOf(emulator), content)) }
  }

  it('may return any text: what looks like a placeholder stays', async () => {
    const { body } = await replying('Use {{foo}} and {{ match.constructor }}, {{user}}')
    expect(body.choices[0].message.content).toBe('Use {{foo}} and , hi')
  })

  it('may return nothing, for the default answer', async () => {
    const { body } = await replying(undefined)
    expect(body.choices[0].message.content).toMatch(/\w/)
  })

  it.each([
    [null, 'returned null, and it cannot be used. Return a text, '],
    [42, 'returned 42, and it cannot be used'],
    [{ content: 5 }, 'returned {"content":5}, and its content cannot be used'],
    [{ text: 'x' }, 'returned {"text":"x"}, and its text cannot be used'],
    [{ error: 200 }, 'returned {"error":200}, and its error cannot be used'],
    [{ tool_calls: [{}] }, 'returned {"tool_calls":[{}]}, and its tool_calls cannot be used'],
  ])('that returns %j fails the chat, and the journal says why', async (reply, why) => {
    const { emulator, status } = await replying(reply)
    expect(status).toBe(500)
    const [entry] = emulator.journal.entries
    expect(entry).toMatchObject({
      fault: expect.objectContaining({ message: expect.stringContaining(why) }),
    })
  })
})

describe('an invalid chat rule', () => {
  it.each([
    [{ answer: 'x', answers: ['y'] }, 'expected one of answer, answers, policy and learner'],
    [{ match: { user: { matches: '(a' } }, answer: 'x' }, 'missing closing )'],
    [{ answer: 'Hi {{usr}}' }, 'there is no {{usr}}. Did you mean {{user}}?'],
    [{ match: { usr: 'x' }, answer: 'x' }, 'unknown key "usr". Did you mean "user"?'],
    [{ answer: { contnt: 'x' } }, 'unknown key "contnt". Did you mean "content"?'],
    [{ policy: { better: 'a', worse: 'b' } }, 'chance: is missing'],
  ])('is refused with a clear message: %j', (rule, message) => {
    expect(() => checkScenario({ name: 'x', chat: { rules: [rule] } })).toThrow(message)
  })
})
