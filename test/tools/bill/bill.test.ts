import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../../src/index.js'
import { readBudget } from '../../../src/tools/bill/budget.js'
import { timeText } from '../../../src/tools/bill/format.js'
import { usePrices } from '../../../src/tools/bill/prices-of-emulator.js'
import { bytesIn, readPrices } from '../../../src/tools/bill/prices.js'
import { BASE_MODEL, clientOf } from '../../support/api-client.js'
import { chat } from '../../support/trainer.js'
import { aRunThat } from '../../support/platform-records.js'
import { scored, ShortLoop, user } from '../../service/scenario/short-loop.js'

const PRICES = `
currency: usd
models:
  example/*: { prompt: 2, completion: 4, trained: 10 }
storage: { gb_month: 0.5, checkpoint: 400MB }
training_hour: 3.6
`

const PROMPT = [user('Name a color.')]

/** Trains a model for some steps, with 4 chats and one call of a judge in each. */
async function train(emulator: Emulator, steps: number): Promise<ShortLoop> {
  const loop = new ShortLoop(emulator)
  for (let step = 0; step < steps; step++) {
    const group = []
    for (let reward = 0; reward < 4; reward++) {
      const { body } = await loop.ask(PROMPT, { model: loop.named(step), logprobs: true })
      const [choice] = (body as { choices: [object] }).choices
      group.push(scored('Name a color.', choice, reward))
    }
    await loop.ask([user('Which one is best?')])
    await loop.train(group)
  }
  return loop
}

describe('the bill', () => {
  it('counts tokens by model and step, and what is kept', async () => {
    const emulator = createEmulator()
    await train(emulator, 2)
    const { models, totals, storage, time, money } = await emulator.bill()
    expect(models.map(({ model, step, chats }) => [model, step, chats])).toEqual([
      ['poet', 0, 4],
      ['poet', 1, 4],
      ['poet', 2, 0],
      [BASE_MODEL, null, 2],
    ])
    const usage = emulator.requests.all('createInferenceChatCompletion').map((each) => each.usage!)
    const sampled = usage.reduce((sum, each) => sum + each.completion_tokens, 0)
    expect(totals).toMatchObject({ chats: 10, completion: sampled, jobs: 2 })
    // What was sampled at a step is what the job of the next one trains on.
    expect(models[1]!.trained).toBe(models[0]!.completion)
    expect(models[2]!.trained).toBe(models[1]!.completion)
    expect(storage).toEqual({ checkpoints: 2, bytes: 0 })
    expect(time.training).toBeGreaterThan(0)
    expect(time.total).toBeGreaterThanOrEqual(time.training)
    expect(money).toBeNull()
  })

  it('costs what the prices say', async () => {
    const emulator = createEmulator()
    await train(emulator, 1)
    const { totals, time, money } = await emulator.bill({ prices: PRICES })
    const { prompt, completion, trained } = totals
    expect(money!.tokens).toBeCloseTo((2 * prompt + 4 * completion + 10 * trained) / 1e6, 9)
    expect(money!.storage).toBe(0.2)
    expect(money!.training).toBeCloseTo(time.training / 1e6, 9)
    expect(money!.total).toBeCloseTo(money!.tokens + 0.2 + money!.training, 9)
    expect(money!.unpriced).toEqual([])
  })

  it('counts artifacts and files of clients, and no answer that was refused', async () => {
    const emulator = createEmulator()
    aRunThat(emulator, { name: 'poem', files: { 'log.txt': 'x'.repeat(500) } })
    await emulator.artifacts.put({ name: 'rows', files: { 'rows.jsonl': 'x'.repeat(1000) } })
    emulator.faults.add({ fault: 'status', status: 503, calls: 1 })
    const loop = new ShortLoop(emulator)
    await loop.ask(PROMPT)
    await loop.ask(PROMPT, { model: 'nobody/knows/it' })
    const { totals, storage } = await emulator.bill()
    expect(totals.chats).toBe(1)
    expect(storage.bytes).toBe(1500)
  })

  it('says which models have no price', async () => {
    const emulator = createEmulator()
    await train(emulator, 1)
    const models = { [BASE_MODEL]: { prompt: 1, completion: 1 } }
    const bill = await emulator.bill({ prices: { currency: 'eur', models }, budget: '1eur' })
    expect(bill.money!.unpriced).toEqual(['poet (trained tokens)'])
    expect(bill.text).toContain('Not complete: no price for poet (trained tokens)')
    expect(bill.budget).toMatchObject({
      passed: false,
      text: 'The budget 1eur cannot be judged. No price for poet (trained tokens).',
    })
    const none = await emulator.bill({ prices: { currency: 'eur', models: {} } })
    expect(none.money!.unpriced).toEqual(['poet', BASE_MODEL])
  })

  it('survives a snapshot, a forgetful journal and a new scenario, and starts again with a reset', async () => {
    const emulator = createEmulator()
    await train(emulator, 2)
    const before = await emulator.bill()
    emulator.journal.clear()
    expect(await emulator.bill()).toEqual(before)
    const restored = createEmulator({ snapshot: await emulator.snapshot() })
    await restored.ready()
    expect(await restored.bill()).toEqual(before)
    restored.follow('failing-job')
    expect((await restored.bill()).totals).toEqual(before.totals)
    restored.reset()
    expect((await restored.bill()).totals.chats).toBe(0)
  })

  it('has the same figures over the control API', async () => {
    const emulator = createEmulator()
    await train(emulator, 2)
    const url = new URL('/_emulator/bill', emulator.trainingUrl)
    const body = JSON.stringify({ prices: PRICES, steps: 10, budget: '1usd' })
    const post = (text: string): Promise<Response> => {
      const headers = { 'content-type': 'application/json' }
      return emulator.fetch(url, { method: 'POST', headers, body: text })
    }
    expect(await (await post(body)).json()).toEqual(
      await emulator.bill({ prices: PRICES, steps: 10, budget: '1usd' }),
    )
    const refused = await post('{"budget": "5usd"}')
    expect(refused.status).toBe(400)
    expect(await refused.json()).toHaveProperty(
      'detail',
      'The budget "5usd" needs prices: the emulator has none of its own. Pass yours, or limit tokens: 2M-tokens.',
    )
  })
})

it('has the prices of a command in the worlds of keys, too', async () => {
  await using emulator = createEmulator({ isolate: 'api-key' })
  usePrices(emulator, readPrices(PRICES))
  const world = emulator.world('a-key-0123456789')
  expect((await world.bill()).money).toMatchObject({ currency: 'usd' })
})

it('prices models of the same name by their own base models', async () => {
  await using emulator = createEmulator({ clock: 'instant' })
  const client = clientOf(emulator)
  const bases = ['example/base-8b-instruct', 'example/base-14b-instruct']
  for (const [project, base_model] of bases.entries()) {
    const { body } = await client.post('/preview/models', {
      project: `project-${project}`,
      name: 'poet',
      base_model,
    })
    await chat(client, 'Hi', { model: `artifact:///${body.entity}/project-${project}/poet` })
  }
  const models = Object.fromEntries(
    bases.map((base, at) => [base, { prompt: 0, completion: 1_000_000 * (at + 1) }]),
  )
  const { models: rows } = await emulator.bill({ prices: { currency: 'usd', models } })
  expect(rows.map(({ base, cost, completion }) => [base, cost! / completion])).toEqual(
    bases.map((base, at) => [base, at + 1]),
  )
})

describe('a budget', () => {
  it('limits tokens, or money', async () => {
    const emulator = createEmulator()
    await train(emulator, 1)
    const { totals } = await emulator.bill()
    const tokens = totals.prompt + totals.completion + totals.trained
    const judged = async (budget: string) =>
      (await emulator.bill({ budget, prices: PRICES })).budget
    expect(await judged(`${tokens}-tokens`)).toMatchObject({ amount: tokens, passed: true })
    expect(await judged(`${tokens - 1} tokens`)).toEqual({
      limit: `${tokens - 1} tokens`,
      amount: tokens,
      passed: false,
      text: `Over the budget ${tokens - 1} tokens: the run used ${tokens} tokens.`,
    })
    expect(await judged('1.5k-tokens')).toMatchObject({ passed: true })
    expect(await judged(`${tokens} token`)).toMatchObject({ passed: true })
    expect(await judged('2usd')).toMatchObject({ passed: true })
    expect(await judged('0.1USD')).toMatchObject({ passed: false })
  })

  it.each([1, 1009, 1019, 4097])('of exactly what was used is kept: %i tokens', (tokens) => {
    const { amount } = readBudget(`${tokens / 1000}k-tokens`, undefined)
    expect(amount).toBe(tokens)
  })

  it.each([
    ['much', 'expected a limit such as 5usd, 2M-tokens or 500k-tokens'],
    ['-1usd', 'expected a limit such as'],
    ['2m-tokens', 'expected a limit such as'],
    ['2mtokens', 'expected a limit such as'],
    ['500 Tokens', 'expected a limit such as'],
    ['500k', 'expected a limit such as'],
    ['2 million', 'expected a limit such as'],
    ['5eur', 'the prices are in usd. Write 5usd.'],
  ])('refuses %s', async (budget, message) => {
    await expect(createEmulator().bill({ budget, prices: PRICES })).rejects.toThrow(message)
  })
})

describe('the text of a bill', () => {
  it.each([
    [1200, '1.2s'],
    [59_900, '59.9s'],
    [59_960, '1m 0s'],
    [200_000, '3m 20s'],
    [7_500_000, '2h 5m'],
  ])('says %i ms as %s', (ms, text) => {
    expect(timeText(ms)).toBe(text)
  })
})

describe('prices', () => {
  it.each([
    ['7B', 7],
    ['5 kB', 5000],
    ['320MB', 320_000_000],
    ['1.2GB', 1_200_000_000],
  ])('read %s as %i bytes', (size, bytes) => {
    expect(bytesIn(size)).toBe(bytes)
  })

  it.each([
    ['currency: tokens\nmodels: {}', '1:11 currency: expected the letters of a currency'],
    ['currency: usd', 'models: is missing'],
    ['currency: usd\nmodels: { a: { prompt: 1 } }', '2:14 models.a.completion: is missing'],
    [
      'currency: usd\nmodels: { a: { prompt: -1, completion: 1 } }',
      'models.a.prompt: expected at least 0, got -1',
    ],
    ['currency: usd\nmodel: {}', 'unknown key "model". Did you mean "models"?'],
    [
      'currency: usd\nmodels: {}\nstorage: { gb_month: 1, checkpoint: 3 }',
      'storage.checkpoint: expected a size such as 320MB or 1.2GB, got 3',
    ],
    ['currency: "', 'not valid YAML'],
  ])('refuses %j', async (prices, message) => {
    const error = await createEmulator()
      .bill({ prices })
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'SVTRAIN_PRICES' })
    expect((error as Error).message).toContain(message)
  })

  it('are those of the first pattern that the model or its base model matches', async () => {
    const emulator = createEmulator()
    const loop = new ShortLoop(emulator)
    await loop.ask(PROMPT, { model: loop.named(0) })
    const free = { prompt: 0, completion: 0 }
    const dear = { prompt: 1e6, completion: 0 }
    const cost = async (models: Record<string, typeof free>): Promise<number> => {
      return (await emulator.bill({ prices: { currency: 'usd', models } })).money!.total
    }
    const { prompt } = (await emulator.bill()).totals
    expect(await cost({ 'po*': dear, '*': free })).toBe(prompt)
    expect(await cost({ '*': free, 'po*': dear })).toBe(0)
    expect(await cost({ 'example/*': dear, 'po*': free })).toBe(prompt)
  })
})
