import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { createEmulator, type EmulatorOptions, type ScenarioInput } from '../../../src/index.js'
import {
  formatOf,
  judgePrompt,
  judgeRequest,
  scoresIn,
  scoresSchema,
  type Message,
  type Score,
} from '../../support/judge-request.js'
import { describeInProcess } from '../../support/transports.js'
import { clientOf } from '../../support/api-client.js'
import { createModel } from '../../support/trainer.js'

type JudgeRules = NonNullable<ScenarioInput['chat']>['judge']

function scoresOf(completion: OpenAI.ChatCompletion): Score[] {
  return scoresIn(completion.choices[0]!.message.content)
}

function withJudge(judge: JudgeRules): EmulatorOptions {
  return { scenario: { name: 'judging', chat: { judge } } }
}

function singleScore(field: Record<string, unknown>) {
  return formatOf({
    type: 'object',
    properties: { grade: field, reason: { type: 'string' } },
    required: ['grade', 'reason'],
  })
}

/** The format of scores with these fields, besides the id. */
function listOf(fields: Record<string, unknown>) {
  const properties = { trajectory_id: { type: 'string' }, ...fields }
  const items = { type: 'object', properties, required: Object.keys(properties) }
  return formatOf({
    type: 'object',
    properties: { scores: { type: 'array', items } },
    required: ['scores'],
  })
}

describeInProcess('a judge', (openApi) => {
  const open = async (
    options: EmulatorOptions = {},
    host: 'training' | 'inference' = 'training',
  ) => {
    const { emulator, fetch } = await openApi(options)
    const { trainingUrl, inferenceUrl, apiKey } = emulator
    const baseURL = host === 'training' ? trainingUrl : inferenceUrl
    const client = new OpenAI({ baseURL, apiKey, fetch, maxRetries: 0 })
    return {
      emulator,
      client,
      create: client.chat.completions.create.bind(client.chat.completions),
    }
  }

  it.each(['training', 'inference'] as const)(
    'scores every text that the prompt names, on the %s host',
    async (host) => {
      const { create, emulator } = await open({}, host)
      const found = scoresOf(await create(judgeRequest(['yes', 'no', 'maybe'])))
      expect(found.map((each) => each.trajectory_id)).toEqual(['1', '2', '3'])
      for (const { score, explanation } of found) {
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
        expect(explanation).toMatch(/^It .*\.$/)
      }
      const [entry] = emulator.journal.entries.filter(({ kind }) => kind === 'request').slice(-1)
      expect(entry).toMatchObject({
        effects: [expect.stringMatching(/^judged 3 texts: \d/), expect.any(String)],
      })
    },
  )

  it('gives the same text the same score, under any id and among any other texts', async () => {
    const { create } = await open()
    const one = scoresOf(await create(judgeRequest(['yes', 'no', 'maybe'])))
    const other = scoresOf(await create(judgeRequest(['perhaps', 'maybe', 'yes'])))
    expect(other[1]!.score).toBe(one[2]!.score)
    expect(other[2]!.score).toBe(one[0]!.score)
    expect(new Set([...one, ...other].map(({ score }) => score)).size).toBe(4)
    const [alone] = scoresOf(await create(judgeRequest(['no'])))
    expect(alone!.score).toBe(one[1]!.score)
  })

  it('gives an answer the same score with and without the messages before it', async () => {
    const { create } = await open()
    const [alone] = scoresOf(await create(judgeRequest(['yes'])))
    const whole = JSON.stringify([
      { role: 'user', content: 'Is it?' },
      { role: 'assistant', content: 'yes' },
    ])
    const messages: Message[] = [
      { role: 'user', content: `<trajectory id="1">\n${whole}\n</trajectory>` },
    ]
    const [found] = scoresOf(await create({ ...judgeRequest(['yes']), messages }))
    expect(found).toEqual(alone)
  })

  it('answers again in full if the client asks again', async () => {
    const { create } = await open()
    const first = judgeRequest(['yes', 'no', 'maybe'])
    const right = scoresOf(await create(first))
    const messages: Message[] = [
      ...first.messages,
      { role: 'assistant', content: JSON.stringify({ scores: right.slice(0, 2) }) },
      {
        role: 'user',
        content:
          'Your response had 2 score objects; expected 3. Missing trajectory IDs: 3. Duplicate trajectory IDs: none. Unexpected trajectory IDs: none. Return one complete replacement using each trajectory ID exactly once: 1, 2, 3.',
      },
    ]
    expect(scoresOf(await create({ ...first, messages }))).toEqual(right)
  })

  it('answers with streams, log probabilities and several choices', async () => {
    const { create, client } = await open()
    const body = judgeRequest(['yes', 'no'])
    const completion = await create({ ...body, n: 2, logprobs: true })
    const [one, two] = completion.choices
    expect(two!.message.content).toBe(one!.message.content)
    expect(one!.logprobs!.content!.map(({ token }) => token).join('')).toContain('trajectory_id')
    const stream = client.chat.completions.stream({ ...body, stream: true })
    const streamed = await stream.finalChatCompletion()
    expect(streamed.choices[0]!.message.content).toBe(one!.message.content)
  })

  it('uses the rules of the scenario, the first one that matches', async () => {
    const { create } = await open(
      withJudge({
        rules: [
          { match: { is: 'yes' }, score: 0.9 },
          { match: { matches: '^m.*e$' }, score: 0.4 },
          { match: 'role', score: 0.1 },
        ],
      }),
    )
    const found = scoresOf(await create(judgeRequest(['yes', 'maybe', 'no'])))
    expect(found.map(({ score }) => score)).toEqual([0.9, 0.4, 0.1])
  })

  it('takes functions in rules', async () => {
    const { create } = await open(
      withJudge({ rules: [{ score: ({ answer }) => answer.length / 10 }] }),
    )
    const found = scoresOf(await create(judgeRequest(['yes', 'maybe'])))
    expect(found.map(({ score }) => score)).toEqual([0.3, 0.5])
  })

  it('respects the types and the bounds of the schema', async () => {
    const { create } = await open()
    const schema = {
      type: 'object',
      properties: {
        verdicts: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              id: { type: 'integer' },
              rating: { type: 'integer', minimum: 1, maximum: 5 },
              confidence: { type: 'number', minimum: 10, maximum: 20 },
              label: { enum: ['good', 'bad'] },
              reason: { type: ['string', 'null'], maxLength: 6 },
            },
            required: ['id', 'rating', 'confidence', 'label', 'reason'],
          },
        },
        summary: { type: 'string' },
      },
      required: ['verdicts', 'summary'],
    }
    const answers = Array.from({ length: 20 }, (_, index) => `answer ${index}`)
    const messages: Message[] = [
      {
        role: 'user',
        content: answers.map((text, id) => `<answer id='${id}'>${text}</answer>`).join('\n'),
      },
    ]
    const { choices } = await create({ model: 'j', messages, response_format: formatOf(schema) })
    const { verdicts, summary } = JSON.parse(choices[0]!.message.content!) as {
      verdicts: { id: number; rating: number; confidence: number; label: string; reason: string }[]
      summary: string
    }
    expect(summary).toEqual(expect.any(String))
    expect(verdicts.map(({ id }) => id)).toEqual(answers.map((_, id) => id))
    expect(new Set(verdicts.map(({ rating }) => rating))).toEqual(new Set([1, 2, 3, 4, 5]))
    for (const { confidence, label, reason } of verdicts) {
      expect(confidence).toBeGreaterThanOrEqual(10)
      expect(confidence).toBeLessThanOrEqual(20)
      expect(['good', 'bad']).toContain(label)
      expect(reason.length).toBeLessThanOrEqual(6)
    }
  })

  it('scores texts without tags if the prompt lists their ids', async () => {
    const { create } = await open()
    const content =
      'Return exactly 2 scores, one for each of these IDs: sea, moon\n\nsea: It is calm.\nmoon: It is full.'
    const messages: Message[] = [{ role: 'user', content }]
    const found = scoresOf(await create({ ...judgeRequest([]), messages }))
    expect(found.map((each) => each.trajectory_id)).toEqual(['sea', 'moon'])
    expect(found[0]!.score).not.toBe(found[1]!.score)
  })

  it('scores in the steps that the schema asks for', async () => {
    const { create } = await open()
    const answers = Array.from({ length: 20 }, (_, index) => `answer ${index}`)
    const response_format = listOf({ score: { type: 'number', multipleOf: 0.25 } })
    const found = scoresOf(await create({ ...judgeRequest(answers), response_format }))
    expect(found.map(({ score }) => score % 0.25)).toEqual(answers.map(() => 0))
  })

  it('moves the score of a rule into the bounds of the schema', async () => {
    const { create } = await open(withJudge({ rules: [{ match: 'yes', score: -3 }, { score: 9 }] }))
    const response_format = listOf({ score: { type: 'number', minimum: 1, maximum: 5 } })
    const found = scoresOf(await create({ ...judgeRequest(['yes', 'no']), response_format }))
    expect(found.map(({ score }) => score)).toEqual([1, 5])
  })

  it('gives the score to the number that is named like one', async () => {
    const { create } = await open(withJudge({ rules: [{ score: 0.75 }] }))
    const number = { type: 'number' }
    const response_format = listOf({ confidence: number, score: number })
    const found = scoresOf(await create({ ...judgeRequest(['yes', 'no']), response_format }))
    expect(found.map(({ score }) => score)).toEqual([0.75, 0.75])
  })

  it('answers with the arguments of a tool if the request demands one', async () => {
    const { create } = await open()
    const { choices } = await create({
      model: 'j',
      messages: judgePrompt(['yes', 'no']),
      tools: [{ type: 'function', function: { name: 'final_result', parameters: scoresSchema } }],
      tool_choice: 'required',
    })
    const [call] = choices[0]!.message.tool_calls!
    const { function: called } = call as OpenAI.ChatCompletionMessageFunctionToolCall
    expect(called.name).toBe('final_result')
    expect(JSON.parse(called.arguments)).toMatchObject({
      scores: [{ trajectory_id: '1' }, { trajectory_id: '2' }],
    })
  })

  it('scores one text if a rule or the name of the model says so', async () => {
    const messages: Message[] = [{ role: 'user', content: 'Grade this essay: The sea is blue.' }]
    const response_format = singleScore({ type: 'number' })
    const ruled = await open(withJudge({ rules: [{ match: 'Grade this', score: 0.75 }] }))
    const answered = await ruled.create({ model: 'gone', messages, response_format })
    expect(JSON.parse(answered.choices[0]!.message.content!)).toEqual({
      grade: 0.75,
      reason: 'It reaches most of the goal.',
    })
    const named = await open(withJudge({ models: 'grader*' }))
    const drawn = await named.create({ model: 'grader-2', messages, response_format })
    const { grade } = JSON.parse(drawn.choices[0]!.message.content!) as { grade: number }
    expect(grade).toBeGreaterThanOrEqual(0)
    expect(grade).toBeLessThanOrEqual(1)
    await expect(named.create({ model: 'other', messages, response_format })).rejects.toThrow('404')
  })

  it.each<[form: string, prompt: string, answer: RegExp]>([
    ['a number', 'Rate this answer from 0 to 10. Answer with a number.', /^(?:\d|10)$/],
    [
      'a number out of some',
      'Grade the essay out of 20. Reply with only the grade.',
      /^1?\d$|^20$/,
    ],
    ['a share', 'Assess the answer. Return only a float.', /^[01](?:\.\d+)?$/],
    [
      'a labeled number',
      'Evaluate it on a scale of 1-5. End with "Score: <number>".',
      /^Score: [1-5]$/,
    ],
    ['a number in brackets', 'Rate it on a scale of 1 to 10: "Rating: [[5]]".', /\[\[\d{1,2}\]\]$/],
    ['the better one', 'Judge both: "[[A]]" if A is better, "[[B]]" if B.', /^\[\[[AB]\]\]$/],
    ['a tag', 'Grade from 0 to 1 in <score></score> tags.', /^<score>[\d.]+<\/score>$/],
    [
      'JSON',
      'Score from 0 to 1. Return {"score": <float>, "reason": ""}',
      /^{"score":[\d.]+,"reason":"It/,
    ],
    ['a verdict', 'Judge if it is right. Answer only "yes" or "no".', /^(?:yes|no)$/],
    [
      'a digit',
      'On a scale of 1-5, how helpful is this reply? Answer with a single digit.',
      /^[1-5]$/,
    ],
    ['a float', 'How good is it? Return a float between 0.0 and 1.0.', /^[01](?:\.\d+)?$/],
    ['one of two', 'Which is better, A or B? Answer with one letter.', /^[AB]$/],
    ['a letter', 'Grade the answer. Just return the letters "A", "B", or "C".', /^[ABC]$/],
    ['a grade', 'Grade the answer. Reply with A, B, C, D or F.', /^[ABCDF]$/],
    ['yes or no', 'Is this subject imperative? Answer "yes" or "no".', /^(?:yes|no)$/],
    ['yes or no, in words', 'Does the response reach the goal? Answer yes or no.', /^(?:yes|no)$/],
    ['pass or fail', 'Does it follow the brief? Answer PASS or FAIL.', /^(?:PASS|FAIL)$/],
    ['one or nothing', 'Reply with 1 if it fits the brief, otherwise 0.', /^[01]$/],
    ['a flag in JSON', 'Return {"correct": true or false}', /^{"correct":(?:true|false)}$/],
    [
      'a verdict in JSON',
      'Reply with JSON: {"verdict": "good" | "bad", "why": "<one sentence>"}',
      /^{"verdict":"(?:good|bad)","why":"It/,
    ],
    [
      'a rubric in JSON',
      'Return JSON: {"clarity": 1-5, "brevity": 1-5, "total": <number>}',
      /^{"clarity":[\d.]+,"brevity":[\d.]+,"total":[\d.]+}$/,
    ],
    ['stars', 'Give 1 to 5 stars as [[n]].', /\[\[[1-5]\]\]$/],
  ])(
    'answers a prompt that asks for %s, of a model that is not trained here',
    async (_, prompt, answer) => {
      const { create } = await open()
      const ask = async (text: string): Promise<string> => {
        const messages: Message[] = [{ role: 'user', content: `${prompt}\n\n${text}` }]
        return (await create({ model: 'gpt-4.1-mini', messages })).choices[0]!.message.content!
      }
      const answers = [await ask('The sea.'), await ask('The moon.'), await ask('A tree.')]
      for (const each of answers) expect(each).toMatch(answer)
      expect(await ask('The moon.')).toBe(answers[1])
    },
  )

  it('answers a judge that the scenario names in the form of its prompt', async () => {
    const { create } = await open(withJudge({ models: ['reviewer-*'] }))
    const messages: Message[] = [{ role: 'user', content: 'Is it done? Say "yes" or "no" only.' }]
    const { choices } = await create({ model: 'reviewer-large', messages })
    expect(choices[0]!.message.content).toMatch(/^(?:yes|no)$/)
  })

  it('lets the other verdicts follow the score', async () => {
    const { create } = await open(withJudge({ rules: [{ match: 'sea', score: 0 }, { score: 5 }] }))
    const ask = async (content: string): Promise<unknown> => {
      const properties = { faithful: { type: 'boolean' }, score: { type: 'integer' } }
      const response_format = formatOf({ type: 'object', properties, required: ['score'] })
      const messages: Message[] = [{ role: 'user', content: `Score from 0 to 5: ${content}` }]
      const { choices } = await create({ model: 'j', messages, response_format })
      return JSON.parse(choices[0]!.message.content!)
    }
    expect(await ask('The sea.')).toEqual({ faithful: false, score: 0 })
    expect(await ask('The moon.')).toEqual({ faithful: true, score: 5 })
  })

  it.each(['wrong_count', 'unknown_ids', 'duplicate_ids', 'missing_field'] as const)(
    'leaves out the score of one text with the mistake %s',
    async (mistake) => {
      const { create, emulator } = await open(withJudge({ mistake }))
      const content = 'Score from 0 to 1. Answer with JSON: {"score": <number>, "reason": "…"}'
      const messages: Message[] = [{ role: 'user', content }]
      const { choices } = await create({ model: 'gpt-4.1-mini', messages })
      expect(Object.keys(JSON.parse(choices[0]!.message.content!) as object)).toEqual(['reason'])
      const last = emulator.journal.entries.findLast((each) => each.kind === 'request')
      expect(last!.effects).toContain('judged 1 text, with the mistake missing_field')
    },
  )

  it('writes the score of a rule as it is, or says in the trace what it was before', async () => {
    const { create, emulator } = await open(withJudge({ rules: [{ score: 0.2 }] }))
    const ask = async (content: string): Promise<[string | null, string]> => {
      const messages: Message[] = [{ role: 'user', content }]
      const { choices } = await create({ model: 'gpt-4.1-mini', messages })
      const last = emulator.journal.entries.findLast((each) => each.kind === 'request')
      return [choices[0]!.message.content, last!.effects[0]!]
    }
    expect(await ask('Rate this from 0 to 10. Answer with a number.')).toEqual([
      '0.2',
      'judged 1 text: 0.2 by rule 1',
    ])
    expect(await ask('Rate this from 0 to 10. Return {"score": <number>}.')).toEqual([
      '{"score":0.2}',
      'judged 1 text: 0.2 by rule 1',
    ])
    expect(await ask('Rate this from 0 to 10. Answer with an integer.')).toEqual([
      '0',
      'judged 1 text: 0 (rule 1 says 0.2)',
    ])
    expect(await ask('Rate this from 1 to 5. Answer with a number.')).toEqual([
      '0.2',
      'judged 1 text: 0.2 by rule 1, outside of 1 to 5',
    ])
  })

  it('chooses a verdict where the schema has no number', async () => {
    const { create } = await open(withJudge({ rules: [{ match: 'sea', score: 0 }, { score: 1 }] }))
    const ask = async (content: string, field: Record<string, unknown>): Promise<unknown> => {
      const schema = { type: 'object', properties: { verdict: field }, required: ['verdict'] }
      const response_format = formatOf(schema)
      const messages: Message[] = [{ role: 'user', content }]
      const { choices } = await create({ model: 'j', messages, response_format })
      return (JSON.parse(choices[0]!.message.content!) as { verdict: unknown }).verdict
    }
    const words = { enum: ['yes', 'no'] }
    expect([await ask('The sea.', words), await ask('The moon.', words)]).toEqual(['no', 'yes'])
    expect(await ask('The sea.', { type: 'boolean' })).toBe(false)
  })

  it('takes no rollout, and no other chat, for a request for scores', async () => {
    const { create, emulator } = await open({ serveAnyModel: true })
    const scale = 'Rate this film from 0 to 10. Answer with a number.'
    const asked = async (model: string, content = scale): Promise<string[]> => {
      await create({ model, messages: [{ role: 'user', content }] })
      const last = emulator.journal.entries.findLast(({ kind }) => kind === 'request')
      return last!.kind === 'request' ? last!.effects.filter((each) => each.includes('judged')) : []
    }
    const base = 'example/base-8b-instruct'
    expect(await asked(base)).toEqual([])
    await createModel(clientOf(emulator), 'agent')
    for (const model of [base, 'agent', 'local-team/my-project/agent']) {
      expect(await asked(model)).toEqual([])
    }
    for (const content of ['Write a grade report.', 'Pick a number from 1 to 9.', 'Yes or no?']) {
      expect(await asked('gpt-4.1-mini', content)).toEqual([])
    }
    expect(await asked('gpt-4.1-mini')).toEqual([expect.stringMatching(/^judged 1 text: \d+$/)])
  })

  it('makes its mistakes in place of the rules that answer it', async () => {
    const rules = [{ match: { model: 'gpt-4.1-mini' }, answers: ['0.2', '0.9'], repeat: true }]
    const mistake = ['wrong_count', 'out_of_range', 'refusal', 'fenced'] as const
    const judge = { mistake: [...mistake], calls: { every: 2 } }
    const { create } = await open({ scenario: { name: 'numbers', chat: { rules, judge } } })
    const said: (string | null)[] = []
    for (let call = 0; call < 8; call++) {
      const messages: Message[] = [{ role: 'user', content: 'Score it from 0 to 1.' }]
      const { choices } = await create({ model: 'gpt-4.1-mini', messages })
      said.push(choices[0]!.message.content)
    }
    expect(said).toEqual([
      expect.stringMatching(/^The first/),
      '0.2',
      '2',
      '0.9',
      null,
      '0.2',
      expect.stringMatching(/^```/),
      '0.9',
    ])
  })

  it('answers only the models that the scenario names, if it names some', async () => {
    const { create } = await open(withJudge({ models: ['judge-*'] }))
    await expect(create(judgeRequest(['yes', 'no']))).rejects.toThrow('does not exist')
    const answered = await create({ ...judgeRequest(['yes', 'no']), model: 'judge-1' })
    expect(scoresOf(answered)).toHaveLength(2)
    const chat = await create({ model: 'judge-1', messages: [{ role: 'user', content: 'Hi' }] })
    expect(chat.choices[0]!.message.content).not.toBe('')
  })

  it('can be turned off', async () => {
    const { create } = await open(withJudge(false))
    await expect(create(judgeRequest(['yes', 'no']))).rejects.toThrow('does not exist')
  })

  it('answers in place of rules that answer with text, but not of rules that answer with JSON', async () => {
    const own = '{"scores":[]}'
    const chat = {
      rules: [
        { match: { system: 'special' }, answer: own },
        { match: { user: 'yes' }, answers: ['first', 'second'] },
      ],
    }
    const { create } = await open({ scenario: { name: 'ruled', chat } })
    const model = 'example/base-8b-instruct'
    const judged = await create({ ...judgeRequest(['yes', 'no']), model })
    expect(scoresOf(judged)).toHaveLength(2)
    const special: Message = { role: 'system', content: 'special' }
    const messages = [...judgePrompt(['yes', 'no']), special]
    const ruled = await create({ ...judgeRequest(['yes', 'no']), messages, model })
    expect(ruled.choices[0]!.message.content).toBe(own)
    const plain = await create({ model, messages: [{ role: 'user', content: 'yes' }] })
    expect(plain.choices[0]!.message.content).toBe('first')
  })

  it('answers in place of a rule without a score, unless the rule names the model', async () => {
    let trace = (): string => ''
    const rule = { match: { user: 'sea' }, answer: 'Hold the button.' }
    const asked = async (own: { match: { user: string; model?: string }; answer: string }) => {
      const { create, emulator } = await open({
        scenario: { name: 'ruled', chat: { rules: [own] } },
      })
      trace = () => emulator.trace()
      const content = 'Rate it from 0 to 10. Answer with a number.\n\nThe sea.'
      const messages: Message[] = [{ role: 'user', content }]
      return (await create({ model: 'gpt-4.1-mini', messages })).choices[0]!.message.content
    }
    expect(await asked(rule)).toMatch(/^(?:\d|10)$/)
    expect(await asked({ ...rule, answer: 'Score: 3' })).toBe('Score: 3')
    const named = { ...rule, match: { ...rule.match, model: 'gpt-*' } }
    expect(await asked(named)).toBe('Hold the button.')
    expect(trace()).toContain('answered as gpt-4.1-mini by chat.rules[0] with ')
  })

  it.each<[NonNullable<Exclude<JudgeRules, false | undefined>['mistake']>, (text: string) => void]>(
    [
      ['wrong_count', (text) => expect(idsIn(text)).toEqual(['1', '2'])],
      ['unknown_ids', (text) => expect(idsIn(text)).toEqual(['1', '2', '4'])],
      ['duplicate_ids', (text) => expect(idsIn(text)).toEqual(['1', '2', '1'])],
      ['out_of_range', (text) => expect(text).toContain('"score":2')],
      ['not_json', (text) => expect(() => JSON.parse(text) as unknown).toThrow('Unexpected token')],
      ['fenced', (text) => expect(text).toMatch(/^```json\n\{.*\}\n```$/s)],
      ['missing_field', (text) => expect(text).not.toContain('explanation')],
    ],
  )('makes the mistake %s in the calls that the scenario names', async (mistake, check) => {
    const { create, emulator } = await open(withJudge({ mistake, calls: 2 }))
    const body = judgeRequest(['yes', 'no', 'maybe'])
    const right = await create(body)
    expect(scoresOf(right)).toHaveLength(3)
    const wrong = await create(body)
    check(wrong.choices[0]!.message.content!)
    const effects = emulator.journal.entries.flatMap((each) =>
      each.kind === 'request' ? each.effects : [],
    )
    expect(effects).toContain(`judged 3 texts, with the mistake ${String(mistake)}`)
    const again = await create(body)
    expect(again.choices[0]!.message.content).toBe(right.choices[0]!.message.content)
  })

  it('refuses to judge', async () => {
    const { create } = await open(withJudge({ mistake: 'refusal' }))
    const { choices } = await create(judgeRequest(['yes', 'no']))
    expect(choices[0]!.message).toMatchObject({
      content: null,
      refusal: expect.any(String) as string,
    })
  })

  it('takes turns with several mistakes, and counts on after a snapshot', async () => {
    const options = withJudge({ mistake: ['not_json', 'fenced'], calls: { every: 2 } })
    const { create, emulator } = await open(options)
    const body = judgeRequest(['yes', 'no'])
    const contents: string[] = []
    for (let call = 1; call <= 2; call++) {
      contents.push((await create(body)).choices[0]!.message.content!)
    }
    expect(contents[0]).toMatch(/^The first/)
    const later = await open({ snapshot: await emulator.snapshot() })
    const third = await later.create(body)
    expect(third.choices[0]!.message.content).toMatch(/^```json/)
  })
})

function idsIn(text: string): string[] {
  return scoresIn(text).map((each) => each.trajectory_id)
}

it('a judge decides with the seed which calls have a mistake', async () => {
  const scenario = { name: 'sometimes', chat: { judge: { mistake: 'not_json', probability: 0.5 } } }
  const wrong = async (seed: number): Promise<boolean[]> => {
    const {
      trainingUrl: baseURL,
      apiKey,
      fetch,
    } = createEmulator({
      scenario: scenario as ScenarioInput,
      seed,
    })
    const client = new OpenAI({ baseURL, apiKey, fetch })
    const found: boolean[] = []
    for (let call = 0; call < 40; call++) {
      const { choices } = await client.chat.completions.create(judgeRequest(['yes', 'no']))
      found.push(!choices[0]!.message.content!.startsWith('{'))
    }
    return found
  }
  const first = await wrong(1)
  expect(first.filter(Boolean).length).toBeGreaterThan(10)
  expect(first.filter(Boolean).length).toBeLessThan(30)
  expect(await wrong(1)).toEqual(first)
  expect(await wrong(2)).not.toEqual(first)
})

it.each([
  [{ mistake: 'wrong-count' }, 'wrong_count'],
  [{ calls: 1 }, 'expected no calls without a mistake'],
  [{ rules: [{ match: { matches: '(' }, score: 1 }] }, 'expected a regular expression'],
  [{ rules: [{ match: 'x' }] }, 'chat.judge.rules[0].score'],
  [{ model: 'x' }, 'Did you mean "models"?'],
])('refuses %j as a judge', (judge, message) => {
  const scenario = { name: 'wrong', chat: { judge } } as unknown as ScenarioInput
  expect(() => createEmulator({ scenario })).toThrow(message)
})
