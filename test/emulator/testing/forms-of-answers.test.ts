import { describe, expect, it } from 'vitest'
import { findingsIn, judgedIn } from '../../../src/emulator/testing/client-checks.js'
import { formNames, loopIn, type Body, type Form, type Turn } from './loop-in-forms.js'
import { mistakes, type Mistake } from './mistakes.js'
import { question, type Message } from '../../support/rollouts.js'

/** Messages never have log probabilities. */
const alwaysWithout = (form: Form) => (form === 'messages' ? ['missingLogprobs'] : [])

describe.each(formNames)('a loop with %s', (form) => {
  it('has a finding for the reward of a chat that failed, at whatever call, and none if its rollout is left out', async () => {
    for (let failing = 1; failing <= 4; failing++) {
      for (const isScored of [false, true]) {
        const { emulator, ask, trajectory, train, found } = await loopIn(form)
        emulator.faults.add({ fault: 'status', status: 429, calls: failing })
        const group: object[] = []
        for (let call = 1; call <= 4; call++) {
          const turn = await ask('Sing.')
          if (call !== failing) group.push(trajectory(turn, call))
          else if (isScored) group.push({ messages_and_choices: question('Sing.'), reward: 0 })
        }
        await train(group)
        expect({ failing, found: found() }).toEqual({
          failing,
          found: [...(isScored ? ['failedCallsScored'] : []), ...alwaysWithout(form)],
        })
      }
    }
  })
})

it.each([
  [402, ['failedCallsScored']],
  [404, ['failedCallsScored']],
  [503, ['failedCallsScored']],
  [400, []],
])('a reward for a chat that a fault refused with %i has the checks %j', async (status, checks) => {
  const { emulator, ask, trajectory, train, found } = await loopIn('choices')
  emulator.faults.add({ fault: 'status', status, calls: 1 })
  await ask('Sing.')
  const failed = { messages_and_choices: question('Sing.'), reward: 0 }
  await train([failed, trajectory(await ask('Rhyme.'), 1)])
  expect(found().filter((each) => each !== 'mixedPrompts')).toEqual(checks)
})

const ids = [21, 22]
const scores = ids.map((id) => ({ token: `token_id:${id}`, logprob: -0.1 }))
const wires = {
  completions: {
    request: { prompt: 'Sing.' },
    response: {
      choices: [
        {
          index: 0,
          finish_reason: 'length',
          text: 'La',
          token_ids: ids,
          logprobs: { tokens: ['token_id:21', 'token_id:22'], token_logprobs: [-0.1, -0.2] },
        },
      ],
    },
  },
  responses: {
    request: { input: 'Sing.' },
    response: {
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'La' }] },
        { type: 'function_call', call_id: 'c', name: 'look', arguments: '{' },
      ],
      token_generations: [{ prompt_token_ids: [1], output_tokens: scores }],
    },
  },
  messages: {
    request: { system: 'Be brief.', messages: [{ role: 'user', content: 'Sing.' }] },
    response: {
      content: [{ type: 'text', text: 'La' }],
      stop_reason: 'max_tokens',
      token_ids: ids,
      logprobs: [-0.1, -0.2],
    },
  },
}

it.each(Object.entries(wires))(
  'answers on other wires are read: %s',
  async (wire, { request, response }) => {
    const { train, found } = await loopIn('exchanges')
    const call = (id: string, more: object) => ({
      exchanges: { [wire]: [{ request, response: { id, ...response, ...more } }] },
    })
    const bare = { choices: [{ text: 'La' }], token_generations: [], token_ids: [], logprobs: [] }
    const cut = [0, 1, 2].map((at) => ({ ...call(`r${at}`, {}), reward: at }))
    await train([...cut, { ...call('r0', {}), reward: 3 }])
    expect(found()).toEqual([
      'cutOffAnswers',
      'duplicateTrajectories',
      ...(wire === 'responses' ? ['brokenToolCalls'] : []),
    ])
    await train([{ ...call('r5', bare), reward: 0 }])
    expect(found()).toContain('missingLogprobs')
  },
)

/** A call of each wire with a question and an answer that a chat of the emulator gave, as a proxy translates it. */
const translated: Readonly<Record<string, (turn: Turn) => object>> = {
  completions: ({ messages, body }) => ({
    request: { prompt: messages[0]!['content'] },
    response: {
      choices: [{ index: 0, text: body.choices[0].message.content, finish_reason: 'stop' }],
    },
  }),
  responses: ({ messages, body }) => ({
    request: { input: messages },
    response: {
      status: 'completed',
      output: [{ type: 'message', ...body.choices[0].message }],
    },
  }),
  messages: ({ messages, body }) => ({
    request: { messages },
    response: {
      content: [{ type: 'text', text: body.choices[0].message.content }],
      stop_reason: 'end_turn',
    },
  }),
}

describe.each(Object.entries(translated))(
  'answers of chats that a client captured as %s',
  (wire, translate) => {
    /** A loop whose chats are captured on the wire. */
    const loopOn = (scenario?: Mistake['scenario']) =>
      loopIn((turns) => ({ exchanges: { [wire]: turns.map(translate) } }), {
        config: { allow_training_without_logprobs: true },
        asked: { logprobs: false },
        ...(scenario && { scenario }),
      })

    // The job trains without log probabilities, and the calls do not say that they were cut off.
    it.each([
      'chats with the base model after a training step',
      'rollouts that are sampled once, before all steps',
      'groups are made in the order of rewards',
      'a reward function that always returns the same',
      'the first of four choices is kept four times',
      'validation rollouts in the training batch',
      'validation rollouts that are logged after they were trained',
      'an answer is cut at its first full stop',
    ] as const)('have a finding for: %s', async (what) => {
      const { make, found, scenario }: Mistake = mistakes[what]
      const loop = await loopOn(scenario)
      await make(loop)
      expect(loop.found()).toEqual(found)
    })

    it('have none in a correct loop, and all is judged', async () => {
      const { emulator, rollouts, train, log, found } = await loopOn()
      for (let step = 0; step < 3; step++) {
        await log('val', await rollouts('Sing.', [0, 1]))
        await train(await rollouts('Sing.', [0, 1]), await rollouts('Rhyme.', [1, 0]))
      }
      expect(found()).toEqual([])
      expect(judgedIn(emulator).filter(({ not }) => not.length > 0)).toEqual([])
    })
  },
)

describe('messages beside choices', () => {
  it('are examples, or histories of turns that are trained elsewhere', async () => {
    const { chat, train, found } = await loopIn('choices')
    const example = [...question('Hum.'), { role: 'assistant', content: 'Hmm.' }]
    const ask = async (messages: readonly Message[]) => {
      const { body } = await chat([...example, ...messages])
      return (body as Body).choices[0]
    }
    const trajectories: object[] = []
    for (const reward of [0, 1]) {
      const first = await ask(question('Sing.'))
      const next = [...question('Sing.'), first.message, ...question('Again.')]
      const second = await ask(next)
      trajectories.push({
        messages_and_choices: [...example, ...question('Sing.'), first],
        additional_histories: [{ messages_and_choices: [...example, ...next, second] }],
        reward,
      })
    }
    await train(trajectories)
    expect(found()).toEqual([])
  })

  it('are not trained, although they are answers of the model', async () => {
    const { chat, train, emulator } = await loopIn('choices')
    const { body } = await chat(question('Sing.'))
    const [first] = (body as Body).choices
    const next = [...question('Sing.'), first.message, ...question('Again.')]
    const { body: last } = await chat(next)
    await train([{ messages_and_choices: [...next, (last as Body).choices[0]], reward: 1 }])
    expect(findingsIn(emulator, { equalRewards: false })).toMatchObject([
      { check: 'missingLogprobs', text: expect.stringContaining('turn 1 (not trainable)') },
    ])
  })
})
