import { expect, it } from 'vitest'
import { createModel } from '../../support/trainer.js'
import { describeInProcess, type Api } from '../../support/transports.js'

/** Messages of real clients and odd ones, and the readings that refuse them. */
const messages: readonly (readonly [
  what: string,
  message: unknown,
  refusedBy: readonly string[],
])[] = [
  [
    'a dumped answer',
    { role: 'assistant', content: 'Hi', refusal: null, audio: null, tool_calls: null },
    ['checked', 'unchecked'],
  ],
  ['another role', { role: 'critic', content: 'Bad.' }, ['clients', 'checked', 'unchecked']],
  ['a number', 5, ['clients', 'checked', 'unchecked']],
  ['null', null, ['clients', 'checked', 'unchecked']],
  ['an odd content part', { role: 'user', content: [{ type: 'video' }] }, ['clients', 'checked']],
  ['an object as content', { role: 'user', content: {} }, ['clients', 'checked']],
  ['a text as tool calls', { role: 'assistant', tool_calls: 'abc' }, ['clients', 'checked']],
  ['a documented message', { role: 'user', content: [{ type: 'text', text: 'Hi' }] }, []],
]

/** The last one is the default. */
const readings = ['checked', 'unchecked', 'any', 'clients', undefined] as const

async function submit(api: Api, message: unknown) {
  const { id: model_id } = await createModel(api)
  const trajectories = [{ messages_and_choices: [message] }]
  return api.post('/preview/training-jobs', { model_id, trajectory_groups: [{ trajectories }] })
}

describeInProcess('message arrays', (open) => {
  it.each(messages)('with %s', async (_what, message, refusedBy) => {
    for (const reading of readings) {
      const scenario = { name: 'mine', ...(reading && { message_arrays: reading }) }
      const { status } = await submit(await open({ scenario }), message)
      const isRefused = refusedBy.includes(reading ?? 'clients')
      expect([reading, status]).toEqual([reading, isRefused ? 422 : 200])
    }
  })

  it('accept any message on request, and the journal names one that is not documented', async () => {
    const api = await open({ scenario: { name: 'mine', message_arrays: 'any' } })
    expect((await submit(api, { role: 'critic' })).status).toBe(200)
    const created = api.emulator.journal.entries.find(
      (entry) => entry.kind === 'request' && entry.path.endsWith('/training-jobs'),
    )
    expect(created).toMatchObject({
      effects: expect.arrayContaining([
        'accepted a message that is not documented: trajectory_groups.0.trajectories.0.messages_and_choices.0',
      ]),
    })
  })

  it('are refused with the words of the framework', async () => {
    const api = await open({ scenario: { name: 'mine', message_arrays: 'unchecked' } })
    const { body } = await submit(api, { role: 'user', content: 5 })
    const at = ['body', 'trajectory_groups', 0, 'trajectories', 0, 'messages_and_choices', 0]
    expect(body.detail).toContainEqual({
      type: 'iterable_type',
      loc: [
        ...at,
        'ChatCompletionSystemMessageParam',
        'content',
        'generator[ChatCompletionContentPartTextParam]',
      ],
      msg: 'Input should be iterable',
      input: 5,
    })
  })
})
