import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { describeInProcess, type Api } from '../../support/transports.js'
import { served } from '../../support/served.js'
import { createModel, listEvents } from '../../support/trainer.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

const example = JSON.stringify({
  messages: [
    { role: 'user', content: 'What is 2 + 2?' },
    { role: 'assistant', content: 'Four.' },
  ],
})

async function fileOf(...lines: string[]): Promise<string> {
  const path = join(temporaryFolder(), 'train.jsonl')
  await writeFile(path, lines.join('\n'))
  return path
}

async function train(api: Api, training_data_url: string, config?: object) {
  const { id } = await createModel(api)
  const asked = { model_id: id, training_data_url, config }
  const answer = await api.post('/preview/sft-training-jobs', asked)
  api.emulator.clock.advance(60_000)
  const events = answer.status === 200 ? await listEvents(api, answer.body.id) : []
  return { ...answer, modelId: id, events }
}

describeInProcess('SFT jobs', (open) => {
  it('take one gradient step for each line of a local file', async () => {
    const api = await open({ scenario: 'sft' })
    // A byte order mark is no part of the first line.
    const { events, body } = await train(
      api,
      await fileOf(`\uFEFF${example}`, example, example, ''),
    )
    expect(body.kind).toBe('sft')
    expect(events[0]!.data).toEqual({ num_sequences: 3 })
    expect(events.map(({ type }) => type)).toEqual([
      'training_started',
      'gradient_step',
      'gradient_step',
      'gradient_step',
      'training_ended',
    ])
    expect(events[1]!.data).toEqual({
      gradient_step: 1,
      loss: expect.any(Number),
      grad_norm: expect.any(Number),
      learning_rate: 0.0002,
      num_tokens: Math.ceil(example.length / 4),
      num_trainable_tokens: 1, // 'Four.' three times, over three batches, at four characters a token
      tokens_per_second: expect.any(Number),
    })
  })

  it.each([
    ['batches, the last of which may be smaller', 7, { batch_size: 3 }, 3],
    ['a batch size of 0 as 1', 2, { batch_size: 0 }, 2],
    ['a batch size of -1 as 1', 2, { batch_size: -1 }, 2],
  ])('take one gradient step for each batch: %s', async (_what, rows, config, count) => {
    const path = await fileOf(...Array.from({ length: rows }, () => example))
    const { events } = await train(await open(), pathToFileURL(path).href, config)
    expect(events[0]!.data).toEqual({ num_sequences: count })
    expect(events).toHaveLength(count + 2)
  })

  it('have at least one trainable token in each step, however short the answers are', async () => {
    const tokensOf = async (rows: number, answer: string): Promise<unknown> => {
      const row = example.replace('Four.', answer)
      const path = await fileOf(...Array.from({ length: rows }, () => row))
      const { events } = await train(await open({ scenario: 'sft' }), path)
      return events[1]!.data['num_trainable_tokens']
    }
    expect([await tokensOf(4, '4'), await tokensOf(1, '')]).toEqual([1, 0])
  })

  it('train the last answer of a row if assistant_turns says so, which is another job', async () => {
    const turns = ['One.', 'Two.', 'Three and a half.'].flatMap((content) => [
      { role: 'user', content: 'Count.' },
      { role: 'assistant', content },
    ])
    const api = await open({ scenario: 'sft' })
    const path = await fileOf(JSON.stringify({ messages: turns }))
    const { id: model_id } = await createModel(api)
    const submit = async (config?: object) => {
      const asked = { model_id, training_data_url: path, config }
      const { body } = await api.post('/preview/sft-training-jobs', asked)
      api.emulator.clock.advance('1m')
      const events = await listEvents(api, body.id)
      return { id: body.id as string, tokens: events[1]!.data['num_trainable_tokens'] }
    }
    const all = await submit()
    const last = await submit({ assistant_turns: 'last' })
    expect([all.tokens, last.tokens]).toEqual([7, 5])
    expect(await submit({ assistant_turns: 'last' })).toEqual(last)
    expect(await submit({ assistant_turns: 'all' })).toEqual(all)
  })

  it('count the calls of tools in an answer', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'look', arguments: '{"at": "x"}' } }
    const messages = [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', tool_calls: [call] },
    ]
    const { events } = await train(
      await open({ scenario: 'sft' }),
      await fileOf(JSON.stringify({ messages })),
    )
    expect(events[1]!.data).toMatchObject({ num_trainable_tokens: 4 })
  })

  it.each([
    [gzipSync(example), 'compressed with gzip: unpack it with gunzip.'],
    [Buffer.from(`${example}\né`, 'latin1'), 'not UTF-8, first in line 2: save it as UTF-8'],
  ])('fail with what the file is, if it is not JSON Lines: %#', async (content, what) => {
    const path = join(temporaryFolder(), 'train.jsonl')
    await writeFile(path, content)
    const { events } = await train(await open(), path)
    expect(events.map(({ data }) => data.error_message)).toEqual([
      expect.stringContaining(`Invalid training data: the file is ${what}`),
    ])
  })

  it('name a row that trains nothing in the journal', async () => {
    const api = await open()
    await train(
      api,
      await fileOf(example, JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] })),
    )
    expect(JSON.stringify(api.emulator.journal.entries)).toContain('line 2: it has no answer')
  })

  it.each([
    ['of a schedule', [0.1, 0.2], [0.1, 0.2, 0.2]],
    ['of an empty schedule', [], [0.0002, 0.0002, 0.0002]],
  ])('have the learning rates %s', async (_what, learning_rate, expected) => {
    const config = { batch_size: 'auto', learning_rate }
    const { events } = await train(await open(), await fileOf(example, example, example), config)
    expect(events.slice(1, -1).map(({ data }) => data.learning_rate)).toEqual(expected)
  })

  it.each([
    ['{"messages": s3cret', 'line 3: not valid JSON'],
    ['[1]', 'line 3: not a JSON object'],
    ['{"messages":[]}', 'line 3: "messages" must be a list with at least one message'],
    [
      '{"messages":[{"role":"critic","content":"s3cret"}]}',
      'line 3: messages[0].role must be one of',
    ],
    ['{"messages":[{"role":"user"}]}', 'line 3: messages[0].content is missing'],
  ])('fail at the line %s', async (bad, told) => {
    const api = await open()
    const { events, status } = await train(api, await fileOf(example, '', bad, example))
    expect(status).toBe(200)
    expect(events.map(({ type }) => type)).toEqual(['training_failed'])
    expect(events[0]!.data.error_message).toContain(told)
    expect(events[0]!.data.error_message).not.toContain('s3cret')
  })

  it('fail on a file without lines', async () => {
    const { events } = await train(await open(), await fileOf(''))
    expect(events[0]!.data.error_message).toBe('Invalid training data: the file has no lines')
  })

  it('use as many lines for an artifact as the scenario says', async () => {
    const api = await open({ scenario: { name: 'mine', sft: { sequences: 5 } } })
    const { events } = await train(api, 'artifact:///team/project/model-sft-data-0123456789ab:v0')
    expect(events[0]!.data).toEqual({ num_sequences: 5 })
  })

  it('have as many batches for an artifact as the client sends learning rates', async () => {
    const api = await open({ clock: 'manual' })
    const url = 'artifact:///team/project/model-sft-data-0123456789ab:v0'
    const learning_rate = [2e-4, 1.5e-4, 1e-4, 5e-5, 1e-5]
    const { events } = await train(api, url, { batch_size: 4, learning_rate })
    expect(events[0]!.data).toEqual({ num_sequences: 5 })
    const steps = events.filter(({ type }) => type === 'gradient_step')
    expect(steps.map(({ data }) => data.learning_rate)).toEqual(learning_rate)
  })

  it('read the file that the scenario names for an artifact', async () => {
    const url = 'artifact:///team/project/data:v0'
    const files = { [url]: await fileOf(example, example) }
    const api = await open({ scenario: { name: 'mine', sft: { files } } })
    const { events } = await train(api, url)
    expect(events[0]!.data).toEqual({ num_sequences: 2 })
  })

  it('are the same job for the same model and data', async () => {
    const api = await open()
    const training_data_url = await fileOf(example, example)
    const first = await train(api, training_data_url)
    const asked = { model_id: first.modelId, training_data_url }
    const second = await api.post('/preview/sft-training-jobs', asked)
    expect(second.body.id).toBe(first.body.id)
    const larger = { ...asked, config: { batch_size: 2 } }
    const batched = await api.post('/preview/sft-training-jobs', larger)
    expect(batched.body.id).toBe(first.body.id)
    await writeFile(training_data_url, example)
    const third = await api.post('/preview/sft-training-jobs', asked)
    expect(third.body.id).not.toBe(first.body.id)
  })

  it('are refused if the download breaks off', async () => {
    const url = await served((_request, response) => {
      response.writeHead(200, { 'content-length': 1000 })
      response.write(`${example}\n`, () => response.destroy())
    })
    expect(await train(await open(), `${url}/train.jsonl`)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('broke off') },
    })
  })
})
