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
type Mistake = NonNullable<Exclude<JudgeRules, false | undefined>['mistake']>

function withJudge(judge: JudgeRules): EmulatorOptions {
  return { scenario: { name: 'judging', chat: { judge } } }
}

/** The format of an object with these fields. */
function objectOf(properties: Record<string, unknown>) {
  return formatOf({ type: 'object', properties, required: Object.keys(properties) })
}

/** The format of scores with these fields, besides the id. */
function listOf(fields: Record<string, unknown>) {
  const properties = { trajectory_id: { type: 'string' }, ...fields }
  const items = { type: 'object', properties, required: Object.keys(properties) }
  return objectOf({ scores: { type: 'array', items } })
}

function idsIn(text: string): string[] {
  return scoresIn(text).map((each) => each.trajectory_id)
}

const number = { type: 'number' }

describeInProcess('a judge', (openApi) => {
  const open = async (options: EmulatorOptions = {}) => {
    const { emulator, fetch } = await openApi(options)
    const { trainingUrl: baseURL, apiKey } = emulator
    const client = new OpenAI({ baseURL, apiKey, fetch, maxRetries: 0 })
    /** The message with which a judge scores texts. `more` replaces fields of the request. */
    const judged = async (texts: readonly string[], more: object = {}) => {
      const { choices } = await client.chat.completions.create({ ...judgeRequest(texts), ...more })
      return choices[0]!.message
    }
    const scores = async (...request: Parameters<typeof judged>): Promise<Score[]> => {
      return scoresIn((await judged(...request)).content)
    }
    /** What a model that is not trained here says to a prompt. */
    const said = async (content: string, more: object = {}): Promise<string | null> => {
      const messages: Message[] = [{ role: 'user', content }]
      const asked = { model: 'gpt-4.1-mini', messages, ...more }
      return (await client.chat.completions.create(asked)).choices[0]!.message.content
    }
    const effects = () => emulator.requests.all().at(-1)!.effects
    return { emulator, client, judged, scores, said, effects }
  }

  it('scores every text that the prompt names', async () => {
    const { scores, effects } = await open()
    const found = await scores(['yes', 'no', 'maybe'])
    expect(found.map((each) => each.trajectory_id)).toEqual(['1', '2', '3'])
    for (const { score, explanation } of found) {
      expect(score).toBeGreaterThanOrEqual(0)
      expect(score).toBeLessThanOrEqual(1)
      expect(explanation).toMatch(/^It .*\.$/)
    }
    expect(effects()).toEqual([expect.stringMatching(/^judged 3 texts: \d/), expect.any(String)])
  })

  it('gives the same text the same score, under any id and among any other texts', async () => {
    const { scores } = await open()
    const one = await scores(['yes', 'no', 'maybe'])
    const other = await scores(['perhaps', 'maybe', 'yes'])
    expect(other[1]!.score).toBe(one[2]!.score)
    expect(other[2]!.score).toBe(one[0]!.score)
    expect(new Set([...one, ...other].map(({ score }) => score)).size).toBe(4)
    expect((await scores(['no']))[0]!.score).toBe(one[1]!.score)
  })

  it('gives an answer the same score with and without the messages before it', async () => {
    const { scores } = await open()
    const whole = JSON.stringify([
      { role: 'user', content: 'Is it?' },
      { role: 'assistant', content: 'yes' },
    ])
    const content = `<trajectory id="1">\n${whole}\n</trajectory>`
    const found = await scores(['yes'], { messages: [{ role: 'user', content }] })
    expect(found).toEqual(await scores(['yes']))
  })

  it('answers again in full if the client asks again', async () => {
    const { scores } = await open()
    const texts = ['yes', 'no', 'maybe']
    const right = await scores(texts)
    const messages: Message[] = [
      ...judgePrompt(texts),
      { role: 'assistant', content: JSON.stringify({ scores: right.slice(0, 2) }) },
      {
        role: 'user',
        content:
          'Your response had 2 score objects; expected 3. Missing trajectory IDs: 3. Duplicate trajectory IDs: none. Unexpected trajectory IDs: none. Return one complete replacement using each trajectory ID exactly once: 1, 2, 3.',
      },
    ]
    expect(await scores(texts, { messages })).toEqual(right)
  })

  it('answers with streams, log probabilities and several choices', async () => {
    const { client } = await open()
    const body = judgeRequest(['yes', 'no'])
    const { completions } = client.chat
    const [one, two] = (await completions.create({ ...body, n: 2, logprobs: true })).choices
    expect(two!.message.content).toBe(one!.message.content)
    expect(one!.logprobs!.content!.map(({ token }) => token).join('')).toContain('trajectory_id')
    const streamed = await completions.stream({ ...body, stream: true }).finalChatCompletion()
    expect(streamed.choices[0]!.message.content).toBe(one!.message.content)
  })

  it.each<[string, NonNullable<Exclude<JudgeRules, false | undefined>['rules']>, number[]]>([
    [
      'the first one that matches',
      [
        { match: { is: 'yes' }, score: 0.9 },
        { match: { matches: '^m.*e$' }, score: 0.4 },
        { match: 'role', score: 0.1 },
      ],
      [0.9, 0.4, 0.1],
    ],
    ['a function', [{ score: ({ answer }) => answer.length / 10 }], [0.3, 0.5, 0.2]],
  ])('uses the rules of the scenario: %s', async (_which, rules, expected) => {
    const { scores } = await open(withJudge({ rules }))
    const found = await scores(['yes', 'maybe', 'no'])
    expect(found.map(({ score }) => score)).toEqual(expected)
  })

  it('respects the types and the bounds of the schema', async () => {
    const { said } = await open()
    const items = {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        rating: { type: 'integer', minimum: 1, maximum: 5 },
        confidence: { type: 'number', minimum: 10, maximum: 20 },
      },
      required: ['id', 'rating', 'confidence'],
    }
    const response_format = objectOf({ verdicts: { type: 'array', items } })
    const answers = Array.from({ length: 20 }, (_, index) => `answer ${index}`)
    const prompt = answers.map((text, id) => `<answer id='${id}'>${text}</answer>`).join('\n')
    const { verdicts } = JSON.parse((await said(prompt, { response_format }))!) as {
      verdicts: { id: number; rating: number; confidence: number }[]
    }
    expect(verdicts.map(({ id }) => id)).toEqual(answers.map((_, id) => id))
    expect(new Set(verdicts.map(({ rating }) => rating))).toEqual(new Set([1, 2, 3, 4, 5]))
    for (const { confidence } of verdicts) {
      expect(confidence).toBeGreaterThanOrEqual(10)
      expect(confidence).toBeLessThanOrEqual(20)
    }
  })

  it('scores texts without tags if the prompt lists their ids', async () => {
    const { scores } = await open()
    const content =
      'Return exactly 2 scores, one for each of these IDs: sea, moon\n\nsea: It is calm.\nmoon: It is full.'
    const found = await scores([], { messages: [{ role: 'user', content }] })
    expect(found.map((each) => each.trajectory_id)).toEqual(['sea', 'moon'])
    expect(found[0]!.score).not.toBe(found[1]!.score)
  })

  it.each([
    ['in the bounds of the schema', { score: { ...number, minimum: 1, maximum: 5 } }, [1, 5]],
    ['as the number that is named like one', { confidence: number, score: number }, [-3, 9]],
  ])('gives the score of a rule %s', async (_how, fields, expected) => {
    const { scores } = await open(withJudge({ rules: [{ match: 'yes', score: -3 }, { score: 9 }] }))
    const found = await scores(['yes', 'no'], { response_format: listOf(fields) })
    expect(found.map(({ score }) => score)).toEqual(expected)
  })

  it('keeps a list under a name that every object inherits in the answer itself', async () => {
    const { judged } = await open()
    const many = Array.from({ length: 400 }, (_, at) => [`flag ${at}`, { type: 'boolean' }])
    const format = objectOf({
      // So much that the rest of the answer has only what the schema requires.
      flags: { type: 'object', properties: Object.fromEntries(many) },
      rest: { type: 'object', properties: { NAME: listOf({ score: number }).json_schema.schema } },
    })
    const named = JSON.stringify(format).replace('NAME', '__proto__')
    const { content } = await judged(['yes'], { response_format: JSON.parse(named) })
    expect('scores' in {}).toBe(false)
    expect(content).toMatch(/"rest":\{"__proto__":\{"scores":\[\{"trajectory_id":"1"/)
  })

  it('answers with the arguments of a tool if the request demands one', async () => {
    const { judged } = await open()
    const tools = [
      { type: 'function', function: { name: 'final_result', parameters: scoresSchema } },
    ]
    const more = { tools, tool_choice: 'required', response_format: undefined }
    const [call] = (await judged(['yes', 'no'], more)).tool_calls!
    const { function: called } = call as OpenAI.ChatCompletionMessageFunctionToolCall
    expect(called.name).toBe('final_result')
    expect(idsIn(called.arguments)).toEqual(['1', '2'])
  })

  it('scores one text if a rule or the name of the model says so', async () => {
    const prompt = 'Grade this essay: The sea is blue.'
    const response_format = objectOf({ grade: number, reason: { type: 'string' } })
    const ruled = await open(withJudge({ rules: [{ match: 'Grade this', score: 0.75 }] }))
    expect(JSON.parse((await ruled.said(prompt, { model: 'gone', response_format }))!)).toEqual({
      grade: 0.75,
      reason: 'It reaches most of the goal.',
    })
    const { said } = await open(withJudge({ models: 'grader*' }))
    const drawn = await said(prompt, { model: 'grader-2', response_format })
    const { grade } = JSON.parse(drawn!) as { grade: number }
    expect(grade).toBeGreaterThanOrEqual(0)
    expect(grade).toBeLessThanOrEqual(1)
    await expect(said(prompt, { model: 'other', response_format })).rejects.toThrow('404')
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
      const { said } = await open()
      const ask = (text: string) => said(`${prompt}\n\n${text}`)
      const answers = [await ask('The sea.'), await ask('The moon.'), await ask('A tree.')]
      for (const each of answers) expect(each).toMatch(answer)
      expect(await ask('The moon.')).toBe(answers[1])
    },
  )

  it('answers a judge that the scenario names in the form of its prompt', async () => {
    const { said } = await open(withJudge({ models: ['reviewer-*'] }))
    const answer = await said('Is it done? Say "yes" or "no" only.', { model: 'reviewer-large' })
    expect(answer).toMatch(/^(?:yes|no)$/)
  })

  it.each<[string, Record<string, unknown>, low: object, high: object]>([
    [
      'a flag beside it',
      { faithful: { type: 'boolean' }, score: { type: 'integer' } },
      { faithful: false, score: 0 },
      { faithful: true, score: 5 },
    ],
    ['a word', { verdict: { enum: ['yes', 'no'] } }, { verdict: 'no' }, { verdict: 'yes' }],
    ['a flag', { verdict: { type: 'boolean' } }, { verdict: false }, { verdict: true }],
  ])('lets a verdict follow the score: %s', async (_what, properties, low, high) => {
    const { said } = await open(withJudge({ rules: [{ match: 'sea', score: 0 }, { score: 5 }] }))
    const response_format = objectOf(properties)
    const ask = async (text: string): Promise<unknown> => {
      return JSON.parse((await said(`Score from 0 to 5: ${text}`, { response_format }))!)
    }
    expect([await ask('The sea.'), await ask('The moon.')]).toEqual([low, high])
  })

  it.each(['wrong_count', 'unknown_ids', 'duplicate_ids', 'missing_field'] as const)(
    'leaves out the score of one text with the mistake %s',
    async (mistake) => {
      const { said, effects } = await open(withJudge({ mistake }))
      const answer = await said(
        'Score from 0 to 1. Answer with JSON: {"score": <number>, "reason": "…"}',
      )
      expect(Object.keys(JSON.parse(answer!) as object)).toEqual(['reason'])
      expect(effects()).toContain('judged 1 text, with the mistake missing_field')
    },
  )

  it.each([
    ['0 to 10. Answer with a number.', '0.2', '0.2 by rule 1'],
    ['0 to 10. Return {"score": <number>}.', '{"score":0.2}', '0.2 by rule 1'],
    ['0 to 10. Answer with an integer.', '0', '0 (rule 1 says 0.2)'],
    ['1 to 5. Answer with a number.', '0.2', '0.2 by rule 1, outside of 1 to 5'],
  ])('writes the score of a rule as it is, or says what it was: from %s', async (...row) => {
    const [scale, answer, effect] = row
    const { said, effects } = await open(withJudge({ rules: [{ score: 0.2 }] }))
    expect(await said(`Rate this from ${scale}`)).toBe(answer)
    expect(effects()[0]).toBe(`judged 1 text: ${effect}`)
  })

  it('takes no rollout, and no other chat, for a request for scores', async () => {
    const { said, effects, emulator } = await open({ serveAnyModel: true })
    const scale = 'Rate this film from 0 to 10. Answer with a number.'
    const asked = async (model: string, content = scale): Promise<string[]> => {
      await said(content, { model })
      return effects().filter((each) => each.includes('judged'))
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
    const { said } = await open({ scenario: { name: 'numbers', chat: { rules, judge } } })
    const answers: (string | null)[] = []
    for (let call = 0; call < 8; call++) answers.push(await said('Score it from 0 to 1.'))
    expect(answers).toEqual([
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
    const { judged, scores, said } = await open(withJudge({ models: ['judge-*'] }))
    await expect(judged(['yes', 'no'])).rejects.toThrow('does not exist')
    expect(await scores(['yes', 'no'], { model: 'judge-1' })).toHaveLength(2)
    expect(await said('Hi', { model: 'judge-1' })).not.toBe('')
  })

  it('can be turned off', async () => {
    const { judged } = await open(withJudge(false))
    await expect(judged(['yes', 'no'])).rejects.toThrow('does not exist')
  })

  it('answers in place of rules that answer with text, but not of rules that answer with JSON', async () => {
    const own = '{"scores":[]}'
    const chat = {
      rules: [
        { match: { system: 'special' }, answer: own },
        { match: { user: 'yes' }, answers: ['first', 'second'] },
      ],
    }
    const { judged, scores, said } = await open({ scenario: { name: 'ruled', chat } })
    const texts = ['yes', 'no']
    const model = 'example/base-8b-instruct'
    expect(await scores(texts, { model })).toHaveLength(2)
    const messages = [...judgePrompt(texts), { role: 'system', content: 'special' }]
    expect((await judged(texts, { model, messages })).content).toBe(own)
    expect(await said('yes', { model })).toBe('first')
  })

  it('answers in place of a rule without a score, unless the rule names the model', async () => {
    let trace = (): string => ''
    const rule = { match: { user: 'sea' }, answer: 'Hold the button.' }
    const asked = async (own: { match: { user: string; model?: string }; answer: string }) => {
      const { said, emulator } = await open({ scenario: { name: 'ruled', chat: { rules: [own] } } })
      trace = () => emulator.trace()
      return said('Rate it from 0 to 10. Answer with a number.\n\nThe sea.')
    }
    expect(await asked(rule)).toMatch(/^(?:\d|10)$/)
    expect(await asked({ ...rule, answer: 'Score: 3' })).toBe('Score: 3')
    const named = { ...rule, match: { ...rule.match, model: 'gpt-*' } }
    expect(await asked(named)).toBe('Hold the button.')
    expect(trace()).toContain('answered as gpt-4.1-mini by chat.rules[0] with ')
  })

  it.each<[Mistake, (text: string) => void]>([
    ['wrong_count', (text) => expect(idsIn(text)).toEqual(['1', '2'])],
    ['unknown_ids', (text) => expect(idsIn(text)).toEqual(['1', '2', '4'])],
    ['duplicate_ids', (text) => expect(idsIn(text)).toEqual(['1', '2', '1'])],
    ['out_of_range', (text) => expect(text).toContain('"score":2')],
    ['not_json', (text) => expect(() => JSON.parse(text) as unknown).toThrow('Unexpected token')],
    ['fenced', (text) => expect(text).toMatch(/^```json\n\{.*\}\n```$/s)],
    ['missing_field', (text) => expect(text).not.toContain('explanation')],
    ['refusal', (text) => expect(text).toBeNull()],
  ])('makes the mistake %s in the calls that the scenario names', async (mistake, check) => {
    const { judged, effects } = await open(withJudge({ mistake, calls: 2 }))
    const texts = ['yes', 'no', 'maybe']
    const right = await judged(texts)
    expect(idsIn(right.content!)).toHaveLength(3)
    const wrong = await judged(texts)
    check(wrong.content!)
    expect(typeof wrong.refusal).toBe(mistake === 'refusal' ? 'string' : 'object')
    expect(effects()).toContain(`judged 3 texts, with the mistake ${String(mistake)}`)
    expect(await judged(texts)).toEqual(right)
  })

  it('takes turns with several mistakes, and counts on after a snapshot', async () => {
    const options = withJudge({ mistake: ['not_json', 'fenced'], calls: { every: 2 } })
    const { judged, emulator } = await open(options)
    const texts = ['yes', 'no']
    expect((await judged(texts)).content).toMatch(/^The first/)
    await judged(texts)
    const later = await open({ snapshot: await emulator.snapshot() })
    expect((await later.judged(texts)).content).toMatch(/^```json/)
  })

  it('decides with the seed which calls have a mistake', async () => {
    const wrong = async (seed: number): Promise<boolean[]> => {
      const { judged } = await open({
        ...withJudge({ mistake: 'not_json', probability: 0.5 }),
        seed,
      })
      const found: boolean[] = []
      for (let call = 0; call < 40; call++) {
        found.push(!(await judged(['yes', 'no'])).content!.startsWith('{'))
      }
      return found
    }
    const first = await wrong(1)
    expect(first.filter(Boolean).length).toBeGreaterThan(10)
    expect(first.filter(Boolean).length).toBeLessThan(30)
    expect(await wrong(1)).toEqual(first)
    expect(await wrong(2)).not.toEqual(first)
  })
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
