import { describe, expect, it } from 'vitest'
import { createEmulator, type EmulatorOptions } from '../../../src/index.js'
import {
  findingsIn,
  judgedIn,
  warningsIn,
  type ClientChecks,
} from '../../../src/emulator/testing/client-checks.js'
import { clientOf } from '../../support/api-client.js'
import { formatOf, judgeRequest } from '../../support/judge-request.js'
import { createSavedEmulator } from '../../support/saved-emulator.js'
import { TOKENIZER_FOLDER } from '../../support/tokenizer.js'
import {
  question,
  rolloutsOf,
  sampleGroup,
  trajectory,
  type Choice,
  type Message,
} from '../../support/rollouts.js'

/** A loop, and what the checks of training data say about it. */
async function loop(options: EmulatorOptions = {}) {
  const emulator = createSavedEmulator({ clock: 'manual', ...options })
  const rollouts = await rolloutsOf(emulator)
  const group = (content: string, more: object = {}) => sampleGroup(rollouts, content, { more })
  const found = (checks: ClientChecks = {}) =>
    findingsIn(emulator, checks).map(({ check }) => check)
  const text = (checks: ClientChecks = {}) => warningsIn(emulator, checks).join('\n')
  return { emulator, ...rollouts, group, found, text }
}

const sing = question('Sing.')

/** The messages after an answer: the answer as it came, and the next question. */
function next(messages: readonly Message[], { message }: Choice, content: string): Message[] {
  return [...messages, message, ...question(content)]
}

describe('answers of the base model', () => {
  it('are not noted under a scenario that allows them', async () => {
    const { emulator, base, group, train } = await loop()
    await train(await group('Sing.'))
    emulator.follow({ name: 'mine', checks: { base_model_answers: false } })
    await train(await group('Rhyme.', { model: base }))
    expect(emulator.trace()).not.toContain('warning: ')
  })

  it('are reported with their number, the first place, and what to do', async () => {
    const { emulator, base, group, train, text } = await loop()
    await train(await group('Sing.'))
    const job = await train(await group('Sing.', { model: base }))
    expect(text()).toBe(
      `Warning: 2 answers came from the base model, although the model had a checkpoint from training: job ${job.slice(0, 8)}, group 0, trajectory 0, turn 1 (example/base-8b-instruct), and 1 more place; name the trained model in the chats of a rollout, and find out whether its adapter is applied (baseModelAnswers: false allows it)`,
    )
    const note = emulator.journal.entries.find(({ kind }) => kind === 'note')!
    expect(note).toMatchObject({ cause: emulator.engine.store.jobs.get(job)!.cause })
    expect(emulator.trace()).toContain('→ warning: 2 answers came from the base model')
  })

  it('are not reported again by a world that was restored', async () => {
    const { emulator, base, group, train, found } = await loop()
    await train(await group('Sing.'))
    await train(await group('Rhyme.', { model: base }))
    expect(found()).toEqual(['baseModelAnswers'])
    // A job that was forgotten is as old as the others.
    for (const keepJobs of [undefined, 1]) {
      const snapshot = await emulator.snapshot()
      const restored = createEmulator({ clock: 'manual', snapshot, keepJobs })
      restored.jobs.finish(await restored.jobs.start())
      restored.jobs.finish(await restored.jobs.start())
      expect(findingsIn(restored)).toEqual([])
      expect(judgedIn(restored)).toEqual([])
    }
  })

  it('are also those of a chat with the name alone, which is that of no checkpoint', async () => {
    const scenario = { name: 'any', chat: { serve_any_model: true } }
    const { emulator, group, train, found } = await loop({ scenario })
    await train(await group('Sing.'))
    const { name } = emulator.db.models.all()[0]!
    await train(await group('Rhyme.', { model: name }))
    expect(found()).toEqual(['baseModelAnswers'])
  })

  it('of another model are distillation', async () => {
    const other = 'example/teacher'
    const { group, train, found } = await loop({
      scenario: { name: 'teacher', base_models: ['example/base-8b-instruct', other] },
    })
    await train(await group('Sing.'))
    await train(await group('Sing.', { model: other }))
    expect(found()).toEqual([])
  })
})

describe('old answers', () => {
  it.each(['manual', 'auto', 'instant'] as const)(
    'may be one step behind under %s, or as many as the options say',
    async (clock) => {
      const { group, train, found, text } = await loop({ clock })
      const [old, older] = [await group('Sing.'), await group('Rhyme.')]
      await train(await group('Dream.'))
      await train(old)
      expect(found()).toEqual([])
      await train(older)
      expect(found()).toEqual(['staleAnswers'])
      expect(text()).toContain('step 0, 2 steps behind')
      expect(found({ staleAnswers: { mostSteps: 2 } })).toEqual([])
    },
  )

  it('within one trajectory are answers of several checkpoints', async () => {
    const { ask, group, train, text } = await loop()
    const first = await ask(sing)
    await train(await group('Rhyme.'))
    const again = next(sing, first, 'Again.')
    await train([trajectory([...sing, first, again.at(-1), await ask(again)])])
    expect(text()).toMatch(/1 trajectory had answers of several checkpoints: .*\(steps 0 and 1\)/)
  })
})

describe('changed answers', () => {
  it.each<[string, (choice: Choice) => readonly unknown[]]>([
    [
      'And so on." was submitted',
      (choice) => {
        const message = { ...choice.message, content: `${choice.message.content} And so on.` }
        return [...sing, { ...choice, message, token_ids: null, logprobs: null }]
      },
    ],
    [
      'it has the text that was sampled, but other token ids',
      (choice) => [...sing, { ...choice, token_ids: [1, 2, 3] }],
    ],
    [
      'the messages before it are not those that it was sampled with',
      (choice) => [...question('Rhyme.'), choice],
    ],
  ])('are reported, because %s', async (why, itemsOf) => {
    const { ask, train, text } = await loop()
    await train([trajectory(itemsOf(await ask(sing)))])
    expect(text()).toContain(why)
  })

  it('are those whose next prompt does not continue them', async () => {
    const { ask, train, text } = await loop()
    const first = await ask(sing)
    const second = await ask(next(sing, first, 'Again.'))
    const at = first.prompt_token_ids!.length
    const prompt_token_ids = second.prompt_token_ids!.with(at, 7)
    const again = question('Again.')
    await train([trajectory([...sing, first, ...again, { ...second, prompt_token_ids }])])
    expect(text()).toContain(
      `its prompt does not continue the turn before: token ${at} was ${first.token_ids![0]}, and the prompt has 7`,
    )
  })

  /** A loop with a conversation of two turns, whose answers come without their tokens. */
  async function withoutTokens(scenario: EmulatorOptions['scenario']) {
    const world = await loop({ scenario })
    const asText = { return_token_ids: false }
    const first = await world.ask(sing, asText)
    const again = next(sing, first, 'Again.')
    const second = await world.ask(again, asText)
    return { ...world, again, second, whole: [...sing, first, again.at(-1), second] }
  }

  it('are those of texts whose tokens drifted when they were sampled', async () => {
    const { emulator, again, second, whole, train, found, text } =
      await withoutTokens('retokenized-history')
    expect(second.token_ids ?? null).toBeNull()
    await train([trajectory([...again, second])])
    expect(found({ equalRewards: false })).toEqual([])
    const [sample] = [...emulator.engine.lineage.samples.all].slice(-1)
    await train([trajectory(whole)])
    const { at, before, now } = sample!.drift!
    expect(text()).toContain(
      `1 answer differed from what was sampled: job ${[...emulator.engine.lineage.jobs].at(-1)!.job.slice(0, 8)}, group 0, trajectory 0, turn 3 (its prompt does not continue the turn before: token ${at} was ${before}, and the prompt has ${now})`,
    )
  })

  it('are none if the tokens of a model of its own continue', async () => {
    const base_models = [{ id: 'example/base-8b-instruct', tokenizer: TOKENIZER_FOLDER }]
    const { train, found, whole } = await withoutTokens({ name: 'own', base_models })
    await train([trajectory(whole)])
    expect(found({ equalRewards: false })).toEqual([])
  })
})

it.each([
  ['without their log probabilities', { remove: 'choices.*.logprobs' }],
  ['without their token ids', { remove: ['choices.*.token_ids', 'prompt_token_ids'] }],
])(
  'answers that a fault changed on their way are those that the client got: %s',
  async (_how, edit) => {
    const { emulator, group, train, found } = await loop()
    emulator.faults.add({ fault: 'edit', match: { operation: '*ChatCompletion*' }, ...edit })
    await train(await group('Sing.'))
    expect(found()).toEqual([])
    const [job] = emulator.lineage().jobs
    expect(job!.groups[0]!.trajectories.flatMap(({ answers }) => answers)).toMatchObject([
      { state: 'sampled' },
      { state: 'sampled' },
    ])
  },
)

describe('many answers that were cut off', () => {
  it('are at least half of at least eight', async () => {
    const { group, train, found, text } = await loop()
    const cut = (content: string) => group(content, { max_tokens: 2 })
    await train(await cut('Sing.'), await cut('Rhyme.'), await group('Dream.'))
    expect(found()).toEqual([])
    await train(await group('Dream.'))
    expect(found()).toEqual(['cutOffAnswers'])
    expect(text()).toContain('4 of 8 answers ended with finish_reason length')
  })

  it('are counted from a restore on, at once as at the end', async () => {
    const before = await loop()
    const cut = (content: string) => before.group(content, { max_tokens: 2 })
    await before.train(await cut('Sing.'), await cut('Rhyme.'), await cut('Dream.'))
    const after = await loop({ snapshot: await before.emulator.snapshot() })
    const again = (content: string) => after.group(content, { max_tokens: 2 })
    await after.train(...(await Promise.all(['Sing.', 'Rhyme.', 'Dream.', 'Hum.'].map(again))))
    expect(after.found()).toContain('cutOffAnswers')
    await after.train(await again('Sing.'))
    const notes = after.emulator.journal.entries.filter(({ kind }) => kind === 'note')
    expect(notes).toMatchObject([
      { text: expect.stringContaining('ended with finish_reason length') },
    ])
  })

  it('are said to be made up, unless the scenario says what the answers are', async () => {
    const madeUp = async (options: Parameters<typeof loop>[0]): Promise<boolean> => {
      const { group, train, text } = await loop(options)
      for (let job = 0; job < 4; job++) await train(await group(`Sing ${job}.`, { max_tokens: 2 }))
      expect(text()).toContain('8 of 8 answers ended with finish_reason length')
      return text().includes('the emulator made them up: `chat.rules` of a scenario')
    }
    expect(await madeUp({})).toBe(true)
    const chat = { rules: [{ answer: 'One two three four five six.' }] }
    expect(await madeUp({ scenario: { name: 'ruled', chat } })).toBe(false)
    const judge = { rules: [{ score: 0 }] }
    expect(await madeUp({ scenario: { name: 'judged', chat: { judge } } })).toBe(true)
  })

  it('are not the cause of equal rewards that the rules of a judge gave', async () => {
    const blamed = async (chat: object): Promise<boolean> => {
      const { ask, train, text } = await loop({ scenario: { name: 'judged', chat } })
      const one = async () => trajectory([...sing, await ask(sing)], 0)
      await train([await one(), await one()])
      expect(text()).toContain('1 of 1 group had equal rewards')
      return text().includes('the emulator made them up')
    }
    expect(await blamed({})).toBe(true)
    expect(await blamed({ judge: { rules: [{ score: 0 }] } })).toBe(false)
  })
})

/** A list of scores that nothing explains. */
const bareScores = {
  type: 'object',
  properties: {
    scores: {
      type: 'array',
      items: {
        type: 'object',
        properties: { id: { type: 'string' }, score: { type: 'number' } },
        required: ['id', 'score'],
      },
    },
  },
  required: ['scores'],
}

describe('a failed call', () => {
  const down = { fault: 'status', status: 503, calls: 1 } as const

  it('of a later turn is noticed', async () => {
    const { emulator, ask, chat, train, text } = await loop()
    const first = await ask(sing)
    const again = next(sing, first, 'Again.')
    emulator.faults.add(down)
    await chat(again)
    await train([trajectory([...sing, first, again.at(-1)], 0)])
    expect(text()).toContain('(a chat got 503, the reward is 0)')
  })

  it('of a judge is noticed by the answer that it quotes', async () => {
    const { emulator, ask, chat, train, text } = await loop()
    const choice = await ask(sing)
    emulator.faults.add(down)
    await chat(question(`Rate this answer: ${choice.message.content}`), { model: 'any-judge' })
    await train([trajectory([...sing, choice], 0)])
    expect(text()).toContain('(the call of the judge got 503, the reward is 0)')
  })

  it.each([
    ['not_json', 1],
    ['missing_field', 1],
    ['refusal', 1],
    // The program can read a score.
    ['fenced', 0],
    ['out_of_range', 0],
  ] as const)(
    'of a judge whose answer has the mistake %s counts, unless it is repeated',
    async (mistake, count) => {
      const judge = { mistake, calls: 1 }
      const { ask, chat, train, text, found } = await loop({
        scenario: { name: 'bad', chat: { judge } },
      })
      const choice = await ask(sing)
      const rate = question(`Rate this answer from 0 to 1: ${choice.message.content}`)
      await chat(rate, { model: 'any-judge' })
      await train([trajectory([...sing, choice], 0)])
      const said = `(the call of the judge got an answer without a score (${mistake}), the reward is 0)`
      expect(text().includes(said)).toBe(count > 0)
      const second = await ask(question('Rhyme.'))
      await chat(rate, { model: 'any-judge' })
      await train([trajectory([...question('Rhyme.'), second], 0.5)])
      expect(found({ equalRewards: false, duplicateTrajectories: false })).toHaveLength(count)
    },
  )

  it.each([
    ['missing_field', 2, 1],
    ['wrong_count', 1, 1],
    ['unknown_ids', 1, 1],
    // The others of the list have their scores, and a text can be told by the score that came twice.
    ['wrong_count', 2, 0],
    ['duplicate_ids', 1, 0],
  ] as const)(
    'of a judge with a list of bare scores and the mistake %s counts by what it hides (%i texts: %i)',
    async (mistake, size, count) => {
      const judge = { mistake, calls: 1 }
      const { ask, chat, train, text } = await loop({ scenario: { name: 'bad', chat: { judge } } })
      const choices = await Promise.all(['Sing.', 'Rhyme.'].map((each) => ask(question(each))))
      const answers = choices.slice(0, size).map(({ message }) => message.content!)
      const messages = judgeRequest(answers).messages.map((each) => ({ ...each }))
      await chat(messages, { model: 'any-judge', response_format: formatOf(bareScores) })
      await train([trajectory([...question('Sing.'), choices[0]], 0)])
      expect(text().includes(`got an answer without a score (${mistake})`)).toBe(count > 0)
    },
  )

  it('whose answer is lost is noticed, and a refusal is not', async () => {
    const { emulator, chat, train, found, text } = await loop()
    await chat(sing, { max_tokens: -1 })
    await train([trajectory(sing, 0)])
    expect(found({ equalRewards: false })).toEqual([])
    emulator.faults.add({ fault: 'drop', calls: 1 })
    await chat(question('Rhyme.')).catch(() => 'lost')
    await train([trajectory(question('Rhyme.'), 0)])
    expect(text()).toContain('(a chat got no answer, the reward is 0)')
  })
})

it('validation rollouts from elsewhere may be logged after they were trained', async () => {
  const { emulator, id, train, found } = await loop()
  const answer = { role: 'assistant', content: 'La '.repeat(100) }
  const both = [0, 1].map((reward) => trajectory([...sing, answer], reward))
  await train(both)
  expect(found()).not.toContain('trainedValidation')
  const body = { split: 'val', trajectory_groups: [{ trajectories: both }] }
  await clientOf(emulator).post(`/preview/models/${id}/log`, body)
  expect(found()).toContain('trainedValidation')
})

it('a result of a tool is reported if nobody made its call', async () => {
  const { train, text } = await loop()
  const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }
  const made = { role: 'assistant', content: null, tool_calls: [call] }
  await train([trajectory([...sing, made, { role: 'tool', tool_call_id: 'c2', content: '' }])])
  expect(text()).toContain('(a result for the call c2, which nobody made)')
})

it('captured calls are matched by the id of the response, and continue each other', async () => {
  const { emulator, chat, train, found } = await loop()
  const exchange = async (messages: readonly Message[]) => {
    const { body } = await chat(messages)
    return { request: { messages }, response: body }
  }
  const first = await exchange(sing)
  const [choice] = first.response.choices as [Choice]
  const second = await exchange(next(sing, choice, 'Again.'))
  const chat_completions = [first, second]
  await train([{ exchanges: { chat_completions }, reward: 1 }])
  expect(found({ equalRewards: false })).toEqual([])
  const { answers } = emulator.lineage().jobs[0]!.groups[0]!.trajectories[0]!
  expect(answers.map(({ sample }) => sample?.completion)).toEqual(
    chat_completions.map(({ response }) => response.id),
  )
})

describe('the setting of a check', () => {
  it('comes from the test, then from the scenario', async () => {
    const scenario = { name: 'strict', checks: { mixed_prompts: 'fail' as const } }
    const { emulator, group, train } = await loop({ scenario })
    await train([...(await group('Sing.')), ...(await group('Rhyme.'))])
    expect(() => emulator.assertClientChecks()).toThrow(
      '1 group had trajectories of different prompts',
    )
    emulator.assertClientChecks({ mixedPrompts: true })
    emulator.assertClientChecks({ mixedPrompts: false })
  })

  it('has options in a scenario', async () => {
    const scenario = { name: 'async', checks: { stale_answers: { most_steps: 2 } } }
    const { group, train, found } = await loop({ scenario })
    const old = await group('Sing.')
    await train(await group('Rhyme.'))
    await train(await group('Rhyme.'))
    await train(old)
    expect(found()).toEqual([])
    expect(found({ staleAnswers: { mostSteps: 1 } })).toEqual(['staleAnswers'])
  })

  it('is refused with what is allowed', () => {
    const emulator = createEmulator()
    const wrong = { mixedPrompts: 'warn' } as object
    expect(() => emulator.assertClientChecks(wrong)).toThrow(
      'option "mixedPrompts" is "warn"; expected true, false or \'fail\'.',
    )
    const wrongOption = { staleAnswers: { most: 2 } } as object
    expect(() => emulator.assertClientChecks(wrongOption)).toThrow(
      'unknown option "staleAnswers.most"',
    )
  })
})

it.each([
  ['step', 'step'],
  ['version', 'v'],
])(
  'a deleted checkpoint is named when a chat asks for its %s later, whichever deletion it was',
  async (_, form) => {
    const { emulator, id, policy, group, train, chat } = await loop()
    for (let step = 0; step < 3; step++) await train(await group('Sing.'))
    const drop = (steps: number[]) =>
      clientOf(emulator).delete(`/preview/models/${id}/checkpoints`, { steps })
    await drop([1])
    await drop([2])
    const answers = [1, 2, 3].map((step) => chat(sing, { model: `${policy}:${form}${step}` }))
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([404, 404, 200])
    const later = warningsIn(emulator).filter((text) => text.includes('after its last chat'))
    expect(later).toEqual([
      expect.stringContaining(`deleted the checkpoint ${form}1 of singer`),
      expect.stringContaining(`deleted the checkpoint ${form}2 of singer`),
    ])
  },
)
