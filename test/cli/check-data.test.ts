import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { checkTrainingFile } from '../../src/emulator/testing/training-file/check-file.js'
import type { FileReport } from '../../src/emulator/testing/training-file/file-report.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { Command } from './command.js'
import { refused, run, workIn } from './commands.js'

type Json = Record<string, unknown>

/** Writes rows, or lines of text, as JSON Lines into the working directory. */
function written(rows: readonly (Json | string)[], name = 'train.jsonl'): string {
  workIn(temporaryFolder())
  const lines = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row)))
  writeFileSync(name, lines.map((line) => `${line}\n`).join(''))
  return name
}

const user = (content: string): Json => ({ role: 'user', content })

const said = (content: string): Json => ({ role: 'assistant', content })

/** An answer of a model, as a chat gives it. */
function choice(content: string, fields: Json = {}): Json {
  const message = { role: 'assistant', content }
  return { index: 0, finish_reason: 'stop', logprobs: null, message, ...fields }
}

function rollout(answer: string, reward: number, fields: Json = {}): Json {
  return { messages_and_choices: [user('Guess.'), choice(answer)], reward, ...fields }
}

/** The log probability of an answer that is one token. */
function logprobsOf(token: string, logprob = -0.1): Json {
  return { content: [{ token, logprob, bytes: null, top_logprobs: [] }] }
}

/** A group of two rollouts with these rewards. */
function group(...rewards: number[]): Json {
  return { trajectories: rewards.map((reward, index) => rollout(`Guess ${index}`, reward)) }
}

/** A file, as `--json` shows it. */
type Report = FileReport & { rows_are: string }

/** What `--json` says about one file. */
async function reportOf(rows: readonly (Json | string)[], options = ''): Promise<Report> {
  const { stdout } = await run(`check-data ${written(rows)} --json${options}`)
  return JSON.parse(stdout) as Report
}

/** What the checks find in rows. */
async function findingsIn(...rows: (Json | string)[]): Promise<Report['findings']> {
  return (await reportOf(rows)).findings
}

describe('check-data: what rows can be', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'move', arguments: '{' } }
  const broken = [user('Go.'), { role: 'assistant', content: null, tool_calls: [call] }]
  const shapes = {
    bodies: {
      row: { trajectory_groups: [{}, { trajectories: [{ messages_and_choices: broken }] }] },
      place: { line: 1, group: 1, trajectory: 0, turn: 1 },
      groups: 2,
    },
    groups: {
      row: { trajectories: [{ messages_and_choices: broken }] },
      place: { line: 1, trajectory: 0, turn: 1 },
      groups: 1,
    },
    trajectories: {
      row: { messages_and_choices: broken },
      place: { line: 1, turn: 1 },
      groups: 0,
    },
    exported: {
      row: {
        group_index: 0,
        reward: 1,
        metadata: null,
        messages: [
          { role: 'user', content: 'Go.', tool_calls: null, tool_call_id: null, trainable: false },
          { role: 'assistant', tool_calls: JSON.stringify([call]), trainable: true },
        ],
      },
      place: { line: 1, turn: 1 },
      groups: 1,
    },
    stored: {
      row: {
        format_version: 2,
        group_index: 0,
        trajectory_json: JSON.stringify({ reward: 1, messages_and_choices: broken }),
        messages: [user('Go.')],
      },
      place: { line: 1, turn: 1 },
      groups: 1,
    },
    sft: { row: { messages: broken, tools: [] }, place: { line: 1, turn: 1 }, groups: 0 },
  }

  it.each(Object.entries(shapes))(
    '%s are recognized and checked',
    async (shape, { row, place, groups }) => {
      // One trajectory is no group.
      const options = shape === 'sft' ? '' : ' --check equalRewards=false'
      const report = await reportOf([row], options)
      expect(report).toMatchObject({ rows_are: shape, unusable: 0, groups })
      expect(report.findings).toMatchObject([
        {
          check: 'brokenToolCalls',
          severity: 'warn',
          count: 1,
          of: null,
          places: [{ ...place, what: 'a call of move whose arguments are not JSON' }],
          allow: '--check brokenToolCalls=false',
        },
      ])
    },
  )

  it.each(['exported', 'stored'])('%s rows of one group are compared', async (shape) => {
    const rows = [0, 0, 1, 1].map((group_index, at) => {
      const [task, answer] = [user(`Task ${at}`), `Answer ${at}`]
      const trajectory = { reward: at, messages_and_choices: [task, choice(answer)] }
      const messages = [task, { role: 'assistant', content: answer, trainable: true }]
      return shape === 'stored'
        ? { group_index, trajectory_json: JSON.stringify(trajectory) }
        : { group_index, reward: at, messages }
    })
    const { groups, trajectories, findings } = await reportOf(rows)
    expect({ groups, trajectories }).toEqual({ groups: 2, trajectories: 4 })
    expect(findings).toMatchObject([
      { check: 'mixedPrompts', count: 2, places: [{ line: 1 }, { line: 3 }] },
    ])
  })

  it('a place in a group of several rows has the line of its own row', async () => {
    const row = (content: string, reward: number, logprobs: Json | null): Json => {
      const messages_and_choices = [user('Guess.'), choice(content, { logprobs })]
      return { group_index: 0, trajectory_json: JSON.stringify({ reward, messages_and_choices }) }
    }
    const rows = [
      row('A', 0, logprobsOf('A')),
      row('B', 0, logprobsOf('B')),
      row('B', 1, logprobsOf('B')),
      row('C', 0, null),
    ]
    expect((await reportOf(rows)).findings).toMatchObject([
      { check: 'missingLogprobs', places: [{ line: 4, turn: 1 }] },
      {
        check: 'duplicateTrajectories',
        places: [{ line: 3, what: 'as line 2, with the reward 1 instead of 0' }],
      },
    ])
  })

  it('a check that a kind of rows cannot have is named with the reason', async () => {
    const { skipped } = await reportOf([{ messages: [user('Hi'), said('x')] }])
    for (const [check, why] of [
      ['equalRewards', 'SFT rows have no rewards'],
      ['staleAnswers', 'it compares jobs with what an emulator has seen'],
    ]) {
      expect(skipped).toContainEqual({ check, why, applies: false })
    }
  })
})

describe('check-data: lines that cannot be used', () => {
  it('names the line, the value and what is allowed, and checks the others', async () => {
    const file = written([
      group(0, 1),
      '{"trajectories": [',
      { trajectories: [{ ...rollout('A', 1), reward: 'high' }] },
      { message: [] },
      { messages: [user('Hi')] },
      '[1]',
      '',
      '{"trajectories": [{"messages_and_choices": [], "reward": NaN}]}',
    ])
    const { code, stdout } = await run(`check-data ${file}`)
    expect(code).toBe(1)
    expect(stdout.split('\n').filter((line) => !line.includes('judged  '))).toEqual([
      'train.jsonl: 7 rows, 2 groups, 4 trajectories, 2 answers',
      'unusable  line 2: not JSON: Expecting value at column 19, where the line ends.',
      'refused  line 3: trajectories[0].reward: Input should be a valid number, unable to parse string as a number, not "high"',
      'unusable  line 4: expected "trajectory_groups", "trajectories", "messages_and_choices" or "messages"; the row has "message". Did you mean "messages" by "message"?',
      'unusable  line 5: an SFT row with "messages", but line 1 is a group with "trajectories": put rows of one kind into a file',
      "unusable  line 6: expected a JSON object, not [1]. It is a JSON array: write a line for each row, as jq -c '.[]' does",
      'warning  line 5: it has no answer, so it trains nothing: add an assistant message, or drop the row',
      '',
      'warning  nonFiniteRewards: 1 trajectory had a reward that is no finite number',
      '  line 8, trajectory 0',
      '  What to do: look for a division by zero in the reward function, and leave such trajectories out.',
      '  To allow it: --check nonFiniteRewards=false',
      '',
      '5 lines that cannot be used, 2 warnings.',
    ])
  })

  it('says how many more problems a row has', async () => {
    const trajectory = { ...rollout('A', 1), reward: 'high', metrics: 7 }
    const { problems } = await reportOf([{ trajectories: [trajectory] }])
    expect(problems[0]!.problem).toMatch(/ \(and 1 more\)$/)
  })

  it('says what a job refuses in an SFT row', async () => {
    const { problems } = await reportOf([
      { messages: [] },
      { messages: [{ role: 'robot', content: 'Hi' }] },
      { messages: [{ role: 'User', content: 'Hi' }] },
      { messages: [{ rol: 'user', content: 'Hi' }] },
      { messages: [{ role: 'user', contents: 'Hi' }] },
    ])
    const role =
      'messages[0].role must be one of developer, system, user, assistant, tool, function'
    expect(problems).toEqual([
      { line: 1, refused: true, problem: '"messages" must be a list with at least one message' },
      { line: 2, refused: true, problem: role },
      { line: 3, refused: true, problem: `${role}. Did you mean "user" by "User"?` },
      { line: 4, refused: true, problem: `${role}. Did you mean "role" by "rol"?` },
      {
        line: 5,
        refused: true,
        problem: 'messages[0].content is missing. Did you mean "content" by "contents"?',
      },
    ])
  })

  it('says in JUnit XML how many more there are', async () => {
    await run(`check-data ${written(Array.from({ length: 25 }, () => '}'))} --junit report.xml`)
    expect(readFileSync('report.xml', 'utf8')).toContain('and 5 more lines that cannot be used')
  })

  it.each([
    ['no line', []],
    ['blank lines', ['', '  ']],
  ])('a file with %s fails, as a job with it does', async (_, rows) => {
    const { code, stdout } = await run(`check-data ${written(rows)} --junit report.xml`)
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: 'train.jsonl: no rows\nThe file has no lines: a job with it fails.',
    })
    expect(readFileSync('report.xml', 'utf8')).toContain('<failure message="no rows"')
  })

  it.each([
    ['gzip', gzipSync('{}'), 'compressed with gzip: unpack it with gunzip'],
    ['zstd', [0x28, 0xb5, 0x2f, 0xfd, 0], 'compressed with zstd: unpack it with zstd -d'],
    ['ZIP', [0x50, 0x4b, 3, 4], 'a ZIP archive: unpack it with unzip'],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0], 'encoded as UTF-16: save it as UTF-8'],
    ['Latin-1', [0x7b, 0x7d, 10, 0xe9], 'not UTF-8, first in line 2: save it as UTF-8'],
    ['UTF-16 without a mark', [0x7b, 0, 0x22, 0], 'encoded as UTF-16 or UTF-32: save it as UTF-8'],
  ])('names a file in %s', async (_what, bytes, format) => {
    workIn(temporaryFolder())
    writeFileSync('rows.jsonl', Uint8Array.from(bytes))
    const { message } = await refused('check-data rows.jsonl')
    expect(message).toContain(`Failed to read rows.jsonl: the file is ${format}`)
  })

  it.each([
    ['{', ' write each row on one line, as jq -c does.'],
    ['[{"messages": []}]', "a JSON array: write a line for each row, as jq -c '.[]' does"],
    ['{"messages": []},', 'a row with a comma at its end: remove the comma'],
    ["{'messages': []}", 'a dict as Python prints it: write rows with json.dumps'],
    ['prompt,completion', 'CSV: write each row as a JSON object'],
    ['{"prompt": "a", "completion": "b"}', 'the prompt as a user message and the completion as'],
    ['{"conversations": [{"from": "human", "value": "a"}]}', 'human is user, gpt is assistant'],
    ['{"messages": [{"from": "human", "value": "a"}]}', 'human is user, gpt is assistant'],
    ['{"instruction": "a", "input": "", "output": "b"}', 'the output as an assistant message'],
  ])('names a row of another format: %s', async (row, hint) => {
    const { problems } = await reportOf([row])
    expect(problems[0]!.problem).toContain(hint)
  })

  it.each(['[', '{'])(
    'says once that a file is one JSON value on many lines: %s',
    async (first) => {
      const { rows, problems } = await reportOf([first, ' "role": "user",', ' "content": "a"', '}'])
      expect(rows).toBe(1)
      expect(problems.map(({ problem }) => problem.includes('as jq -c'))).toEqual([true])
    },
  )

  it.each([' "role": "user",', '},', '}]'])(
    'takes a part of a row for no CSV: %s',
    async (part) => {
      const { problems } = await reportOf(['{"messages": []}', part])
      expect(problems.at(-1)!.problem).toContain('It is a part of a row')
    },
  )

  it('reads a long row that is no CSV as fast as another', async () => {
    const { problems } = await reportOf([`${'a,'.repeat(100_000)}[`])
    expect(problems[0]!.problem).not.toContain('CSV')
  })

  it.each([
    [[user('Hi')], 'it has no answer, so it trains nothing'],
    [[user('Hi'), said('A'), said('B')], 'messages[1] and messages[2] are two answers in a row'],
    [[user('Hi'), said(' ')], 'messages[1] is an empty answer: write its content'],
    [
      [user('Hi'), { role: 'assistant', contents: 'A' }],
      'messages[1] is an empty answer. Did you mean "content" by "contents"?',
    ],
    [
      [{ role: 'user', content: 5 }, said('A')],
      'messages[0].content is neither a text nor a list of parts',
    ],
    [
      [user('Hi'), { role: 'assistant', content: 5 }],
      'messages[1].content is neither a text nor a list of parts',
    ],
  ])(
    'warns of an SFT row that a job accepts, and that makes little sense',
    async (messages, doubt) => {
      const { doubts, unusable } = await reportOf([{ messages }])
      expect(doubts).toEqual([{ line: 1, doubt: expect.stringContaining(doubt) }])
      expect(unusable).toBe(0)
      expect((await run(`check-data ${written([{ messages }])}`)).code).toBe(0)
    },
  )

  it('one refused trajectory does not hide what is found in the others', async () => {
    const mixed = {
      trajectories: [rollout('A', 1), { messages_and_choices: [user('B'), choice('B')] }],
    }
    const bad = { trajectories: [{ reward: 'high' }] }
    for (const rows of [[{ trajectory_groups: [mixed, bad] }], [bad, mixed], [{ x: 1 }, mixed]]) {
      const { findings, unusable } = await reportOf(rows)
      expect({ unusable, checks: findings.map(({ check }) => check) }).toEqual({
        unusable: 1,
        checks: ['mixedPrompts'],
      })
    }
  })

  it('a file is also what its refused rows are', async () => {
    const scored = { logprobs: logprobsOf('A') }
    const refusedBody = (...fields: Json[]): Json => {
      const good = fields.map((each) => ({
        messages_and_choices: [user('Guess.'), choice('A', each)],
        reward: 1,
      }))
      return { trajectory_groups: [{ trajectories: [...good, { reward: 'high' }] }] }
    }
    const report = await reportOf([refusedBody(scored, scored), refusedBody({}, scored)])
    expect(report).toMatchObject({ rows_are: 'bodies', unusable: 2, groups: 2, trajectories: 4 })
    expect(report.findings.map(({ check, places }) => [check, places])).toEqual([
      ['equalRewards', [1, 2].map((line) => ({ line, group: 0, what: 'each is 1' }))],
      ['missingLogprobs', [{ line: 2, group: 0, trajectory: 0, turn: 1 }]],
    ])
    expect(report.judged).toContainEqual({
      check: 'equalRewards',
      unit: 'group',
      judged: 2,
      of: 2,
      not: [],
    })
    const { problems } = await reportOf([refusedBody({}), group(0, 1)])
    expect(problems.map(({ line, refused: isRefused }) => [line, isRefused])).toEqual([
      [1, true],
      [2, false],
    ])
  })

  it('a refused row of which nothing can be read says nothing about the others', async () => {
    const bad = { trajectories: [{ reward: 'high' }] }
    expect(await reportOf([bad])).toMatchObject({ rows_are: null, unusable: 1, judged: [] })
    const example = { messages: [user('Hi'), said('A')] }
    expect(await reportOf([bad, example])).toMatchObject({ rows_are: 'sft', unusable: 1 })
  })

  it('finds an answer whose text is not that of its tokens', async () => {
    const tokens = ['Guess', ' 7', '<|end|>'].map((token) => {
      const bytes = token.startsWith('<') ? null : [...new TextEncoder().encode(token)]
      return { token, logprob: -0.5, bytes, top_logprobs: [] }
    })
    const logprobs = { content: tokens }
    const trajectories = ['Guess 7', 'GUESS 7', '7'].map((content, reward) => {
      return { messages_and_choices: [user('Guess.'), choice(content, { logprobs })], reward }
    })
    const { findings } = await reportOf([{ trajectories }])
    expect(findings).toMatchObject([{ check: 'changedAnswers' }])
    expect(JSON.stringify(findings)).toContain('was sampled, and \\"GUESS 7\\" was submitted')
    expect(JSON.stringify(findings)).not.toContain('\\"7\\" was submitted')
  })

  it('says how to convert a Parquet file', async () => {
    const file = written(['PAR1...'], '0001.parquet')
    expect((await refused(`check-data ${file}`)).message).toBe(
      `Failed to read 0001.parquet: the file is a Parquet file. Convert it: python -c "import polars; polars.read_parquet('0001.parquet').write_ndjson('0001.jsonl')", or duckdb -c "COPY (FROM '0001.parquet') TO '0001.jsonl' (FORMAT json)".`,
    )
  })
})

describe('check-data: a reward that is a text', () => {
  const scored = (reward: string): Json => ({
    messages_and_choices: [user('Hi'), said('Hm')],
    reward,
  })
  const pair = { trajectories: [scored('0.5'), scored('1')] }
  const doubt = 'such as "0.5": a job reads it as a number; write a number'

  it.each([
    [{ trajectory_groups: [pair] }, `2 rewards are texts, ${doubt}`],
    [pair, `2 rewards are texts, ${doubt}`],
    [scored('0.5'), `1 reward is a text, ${doubt}`],
    [{ trajectory_json: JSON.stringify(scored('0.5')) }, `1 reward is a text, ${doubt}`],
  ])('is read as a number, and named: %j', async (row, expected) => {
    expect(await reportOf([row])).toMatchObject({
      unusable: 0,
      doubts: [{ line: 1, doubt: expected }],
    })
  })
})

describe('check-data: what a job accepts, and does not read', () => {
  const turns = { messages_and_choices: [user('Hi'), choice('Hm')] }
  const zero = { ...turns, reward: 0 }
  const typo = { ...turns, rewrd: 1 }
  const ignored = 'a job ignores "rewrd"; did you mean "reward"?'
  const missing = 'a missing "reward" counts as 0; write the reward'
  const messages = [user('Hi'), { ...said('Hm'), trainable: true }]

  it.each<[row: Json, doubts: string[]]>([
    [typo, [ignored]],
    [{ trajectory_json: JSON.stringify(typo) }, [`trajectory_json: ${ignored}`]],
    [{ trajectories: [zero, typo] }, [missing, ignored].map((what) => `trajectories[1]: ${what}`)],
    [
      { trajectory_groups: [{ trajectories: [typo, typo] }] },
      [`trajectory_groups[0].trajectories[0] and 1 more: ${ignored}`],
    ],
    [
      { ...zero, messages: [], score: 1 },
      [
        'a job ignores "messages"; did you mean "messages_and_choices"?',
        'a job ignores "score"; move it into "metadata", or remove it',
      ],
    ],
    [{ group_index: 0, rewrd: 1, messages }, [missing]],
    [{ trajectories: [] }, ['the group has no trajectories, so it trains nothing: leave it out']],
    [
      { trajectory_groups: [{ trajectories: [zero] }, {}] },
      ['trajectory_groups[1] has no trajectories, so it trains nothing: leave it out'],
    ],
    // As clients write it: they leave out what is empty or 0, and have more fields.
    [{ trajectories: [turns, { ...turns, reward: 1 }] }, []],
    [{ trajectories: [], exceptions: [{ type: 'E', message: '', traceback: '' }] }, []],
    [{ ...zero, auto_metrics: {}, initial_policy_version: null, exchanges: {} }, []],
  ])('%j', async (row, doubts) => {
    const report = await reportOf([row])
    expect(report).toMatchObject({
      unusable: 0,
      doubts: doubts.map((doubt) => ({ line: 1, doubt })),
    })
    expect(report.doubted).toBe(doubts.length)
  })

  it.each<[row: Json, of: string]>([
    [{ trajectories: [turns, { ...turns, reward: 1 }] }, '1 of 2 trajectories'],
    [{ trajectory_groups: [{ trajectories: [zero, typo, turns] }] }, '2 of 3 trajectories'],
    [{ group_index: 0, messages }, '1 of 1 trajectory'],
  ])('says how many rewards are missing, and count as 0: %j', async (row, of) => {
    const note = `"reward" is missing in ${of}, and counts as 0: clients leave out rewards of 0`
    const { stdout } = await run(`check-data ${written([row])} --junit report.xml`)
    expect(stdout).toContain(`\nnote  ${note}\n`)
    expect(readFileSync('report.xml', 'utf8')).toContain(note.replaceAll('"', '&quot;'))
    for (const whole of [zero, { messages: [user('Hi'), said('Hm')] }]) {
      expect(await reportOf([whole])).toMatchObject({ unrewarded: 0 })
    }
  })

  it('empty groups are not called equal rewards', async () => {
    const [finding] = await findingsIn({ trajectory_groups: [{}] })
    expect(finding).toMatchObject({
      text: '1 of 1 group had no trajectories; 1 job had no other groups',
      advice: 'look for why nothing was sampled, and leave such groups out',
    })
  })

  const roles = 'developer, system, user, assistant, tool, function'

  it.each<[message: unknown, problem: string]>([
    [{ role: 'usr', content: 'Hi' }, `.role: "usr" is none of ${roles}. Did you mean "user"?`],
    [{ role: 'robot', content: 'Hi' }, `.role: "robot" is none of ${roles}`],
    [{ content: 'Hi' }, '.role is missing'],
    [
      { role: 'user', contents: 'Hi' },
      '.content is missing. Did you mean "content" by "contents"?',
    ],
    [{ role: 'user', content: 5 }, '.content: Input should be a valid string, not 5'],
    [
      { role: 'user', content: [{ type: 'txt', text: 'Hi' }] },
      '.content[0].type: "txt" is none of text, image_url, input_audio, file. Did you mean "text"?',
    ],
    [
      { role: 'assistant', tool_calls: [{ id: 'c', type: 'function' }] },
      '.tool_calls[0].function is missing',
    ],
    [
      choice('Hi', { finish_reason: 'stpo' }),
      '.finish_reason: "stpo" is none of stop, length, tool_calls, content_filter, function_call. Did you mean "stop"?',
    ],
    [choice('Hi', { index: undefined }), '.index is missing'],
    ['Hi', ': Input should be a valid dictionary, not "Hi"'],
  ])('a refusal names the place and the value, and no type: %j', async (message, problem) => {
    const path = 'messages_and_choices[0]'
    const { problems } = await reportOf([{ messages_and_choices: [message], reward: 1 }])
    expect(problems).toEqual([{ line: 1, refused: true, problem: path + problem }])
  })

  it.each([
    [said(''), 'is an empty answer: write its content, or leave it out'],
    [choice(' '), 'is an empty answer: write its content, or leave it out'],
    [
      { role: 'assistant', contents: 'Hi' },
      'is an empty answer. Did you mean "content" by "contents"?',
    ],
  ])('warns of an empty answer: %j', async (answer, what) => {
    const { doubts } = await reportOf([{ ...zero, messages_and_choices: [user('Hi'), answer] }])
    expect(doubts).toEqual([{ line: 1, doubt: `messages_and_choices[1] ${what}` }])
  })

  it('does not warn of an answer that was sampled without a text', async () => {
    const answers = [choice('', { logprobs: logprobsOf('') }), user('Hi')]
    expect((await reportOf([{ ...zero, messages_and_choices: answers }])).doubts).toEqual([])
  })
})

describe('check-data: what the checks find', () => {
  it('finds rewards that are NaN or infinite, also as other tools write them', async () => {
    for (const reward of ['NaN', 'Infinity', '-Infinity', '"nan"', '1e999']) {
      const text = JSON.stringify(group(0, 1)).replace('"reward":1', `"reward":${reward}`)
      expect(await findingsIn(text)).toMatchObject([
        { check: 'nonFiniteRewards', places: [{ line: 1, trajectory: 1 }] },
      ])
    }
    const exported = { group_index: 0, reward: null, messages: [user('Hi'), said('A')] }
    expect((await reportOf([exported], ' --check equalRewards=false')).findings).toMatchObject([
      { check: 'nonFiniteRewards' },
    ])
  })

  it('finds rows of a table in which no message is trainable', async () => {
    const rowOf = (trainable: boolean, reward: number): Json => ({
      group_index: 0,
      reward,
      messages: [
        { ...user('Hi'), trainable: false },
        { ...said('Hand-written.'), trainable: false },
        { ...user('Again'), trainable: false },
        { ...said(`Answer ${reward}`), trainable },
      ],
    })
    expect(await findingsIn(rowOf(true, 0), rowOf(true, 1))).toEqual([])
    expect(await findingsIn(rowOf(false, 0), rowOf(true, 1))).toMatchObject([
      {
        check: 'missingLogprobs',
        text: '2 answers had no log probabilities',
        places: [1, 3].map((turn) => ({ line: 1, turn, what: 'not trainable' })),
        advice: expect.stringContaining('submit the whole choice, not only its message'),
      },
    ])
  })

  it('finds that nothing is trained, however few groups there are', async () => {
    const lone = { trajectories: [rollout('A', 1)] }
    const textOf = async (...rows: Json[]) => (await findingsIn(...rows)).map(({ text }) => text)
    expect(await textOf(group(1, 1))).toEqual(['1 of 1 group had equal rewards'])
    expect(await textOf(group(1, 1), group(0, 1))).toEqual([])
    expect(await textOf(lone, lone)).toEqual([
      '2 of 2 groups had one trajectory, so nothing can be compared',
    ])
    const jobs = [[group(1, 1)], [group(0, 1), group(0, 0)]]
    expect(await textOf(...jobs.map((trajectory_groups) => ({ trajectory_groups })))).toEqual([
      '2 of 3 groups had equal rewards; 1 job had no other groups',
    ])
  })

  it('finds answers without log probabilities, if others of the file have them', async () => {
    const logprobs = logprobsOf('One')
    const turns = (second: Json | null): Json => ({
      messages_and_choices: [
        user('Count.'),
        choice('One', { logprobs }),
        user('Go on.'),
        choice('One', { logprobs: second }),
      ],
    })
    const found = async (...rows: Json[]) => {
      const findings = await findingsIn(...rows)
      return findings.map(({ check, places }) => [check, ...places.map(({ line }) => line)])
    }
    expect(await found(turns(logprobs), turns(logprobs))).toEqual([])
    expect(await found(rollout('A', 1), rollout('B', 1))).toEqual([])
    expect(await found(rollout('A', 1), turns(logprobs), turns(null))).toEqual([
      ['missingLogprobs', 1, 3],
    ])
    expect(await findingsIn(turns(null))).toMatchObject([
      { check: 'missingLogprobs', places: [{ line: 1, turn: 3 }] },
    ])
  })

  it('finds a rollout that is twice in a group, if its rewards or its length show it', async () => {
    const twice = (content: string, rewards: number[], scores: number[]): Json => {
      const trajectories = rewards.map((reward, at) => {
        const answer = choice(content, { logprobs: logprobsOf(content, scores[at]) })
        return { messages_and_choices: [user('Guess.'), answer], reward, metrics: { at } }
      })
      return { trajectories: [...trajectories, rollout('B', 1)] }
    }
    const found = async (row: Json) => {
      const { findings } = await reportOf([row], ' --check missingLogprobs=false')
      return findings.map(({ check, places }) => [check, places[0]?.what])
    }
    const long = 'The number is less than ten, and more than four.'
    expect(await found(twice('yes', [0, 0.5], [-1, -1]))).toEqual([
      ['duplicateTrajectories', 'as line 1, trajectory 0, with the reward 0.5 instead of 0'],
    ])
    expect(await found(twice(long, [0, 0], [-1, -1]))).toEqual([
      ['duplicateTrajectories', 'as line 1, trajectory 0'],
    ])
    // Two rollouts may say the same, and a judge may be noisy.
    expect(await found(twice('yes', [0, 0], [-1, -1]))).toEqual([])
    expect(await found(twice('yes', [0, 0.5], [-1, -1.01]))).toEqual([])
    expect(await found(twice(long, [0, 0.5], [-1, -1.01]))).toEqual([])
  })

  const long = rollout('word '.repeat(50), 1)
  const stamped = {
    trajectories: [rollout('A', 0), rollout('B', 1, { start_time: '2026-11-01T10:00:00Z' })],
  }
  const example = { messages: [user('Hi'), said('Hello')], tools: null }
  const withTool = { ...example, tools: [{ type: 'function', function: { name: 'move' } }] }
  const answers = ['Fix the parser of dates in the footer', 'Let the footer read dates in ISO form']
  const made = (...rewards: number[]): Json => ({
    trajectories: answers.map((answer, at) => rollout(answer, rewards[at]!)),
  })
  const labels = { trajectories: [rollout('bug', 1), rollout('billing', 0)] }

  it.each<[what: string, rows: Json[], places: Json[]]>([
    [
      'a trajectory with a time',
      [stamped, stamped],
      [{ line: 2, trajectory: 1, what: 'as line 1, trajectory 1' }],
    ],
    ['no short answer, which may be chance', [rollout('yes', 1), rollout('yes', 1)], []],
    ['a long answer', [long, long], [{ line: 2, what: 'as line 1' }]],
    [
      'a whole group of short answers',
      [made(0.9, 0.4), labels, labels, made(0.4, 0.9), made(0.9, 0.4)],
      [{ line: 5 }, { line: 5 }],
    ],
    ['an SFT row', [example, withTool, example], [{ line: 3, what: 'as line 1' }]],
  ])('finds what is twice in a file: %s', async (_what, rows, places) => {
    const found = { check: 'duplicateTrajectories', count: places.length, places }
    expect(await findingsIn(...rows)).toMatchObject(places.length === 0 ? [] : [found])
  })
})

describe('check-data: how it reports', () => {
  const rows = Array.from({ length: 8 }, () => group(0, 0))

  it('finds no mistake only if all was judged, and something was', async () => {
    const scored = (content: string, reward: number): Json => {
      const answer = choice(content, { logprobs: logprobsOf('A') })
      return { messages_and_choices: [user('Guess.'), answer], reward }
    }
    const whole = { trajectories: [scored('A', 0), scored('B', 1)] }
    const equal = { trajectories: [scored('C', 1), scored('D', 1)] }
    const short = { trajectories: [scored('A', 0), scored('A', 0), scored('B', 1)] }
    const last = async (...all: Json[]) => {
      return (await run(`check-data ${written(all)}`)).stdout.split('\n').at(-1)
    }
    expect(await last(whole)).toBe('No mistake found.')
    expect(await last(group(0, 1))).toBe('Nothing found in what was judged.')
    expect(await last(whole, equal)).toBe('Nothing found in what was judged.')
    expect(await last(short)).toBe('Nothing found in what was judged.')
    expect(await last(scored('A', 0))).toMatch(/^Nothing found in what was judged\. Did not run: /)
    expect(await last({ trajectory_groups: [] })).toBe('Nothing was judged.')
  })

  it.each([
    ['equalRewards=fail', 1],
    ['equal_rewards=fail', 1],
    ['all=fail', 1],
    ['all=fail,equalRewards=true', 0],
    ['equalRewards=false', 0],
    ['brokenToolCalls=fail', 0],
  ])('fails if a check is set to fail: --check %s', async (check, code) => {
    expect((await run(`check-data ${written(rows)} --check ${check}`)).code).toBe(code)
  })

  it('a check that is off finds nothing', async () => {
    const { findings, skipped } = await reportOf(rows, ' --check equalRewards=false')
    expect(findings).toEqual([])
    expect(skipped).toContainEqual({ check: 'equalRewards', why: 'it is off', applies: false })
    const { stdout } = await run(`check-data ${written(rows)} --check equalRewards=false`)
    expect(stdout).toMatch(/\nNothing found in what was judged. Did not run: equalRewards; --json/)
  })

  it.skipIf(process.platform === 'win32')(
    'opens a pipe once, or its writer would stop',
    async () => {
      workIn(temporaryFolder())
      execFileSync('mkfifo', ['pipe'])
      await writeFile(
        'rows',
        rows
          .map((row) => `${JSON.stringify(row)}\n`)
          .join('')
          .repeat(1000),
      )
      const writer = spawn('sh', ['-c', 'cat rows > pipe'])
      const [{ stdout }, [code]] = await Promise.all([run('check-data pipe'), once(writer, 'exit')])
      expect({ stdout, code }).toMatchObject({
        stdout: expect.stringMatching(/^pipe: 8000 rows, 8000 groups, /),
        code: 0,
      })
    },
  )

  it('reads stdin', async () => {
    const command = new Command(['check-data', '-'])
    command.process.stdin!.end(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    expect(await command.ended()).toBe(0)
    expect(command.stdout).toMatch(/^stdin: 8 rows, 8 groups, /)
  })

  it.each([
    ['equalReward=false', 'Did you mean "equalRewards"?'],
    ['equalRewards=fial', 'Did you mean "fail"?'],
    [
      'staleAnswers=fail',
      'staleAnswers needs an emulator that has seen the chats. Checks of files: mixedPrompts, changedAnswers, cutOffAnswers, nonFiniteRewards, equalRewards, missingLogprobs, duplicateTrajectories, brokenToolCalls.',
    ],
  ])('refuses --check %s', async (check, hint) => {
    expect((await refused(`check-data train.jsonl --check ${check}`)).message).toBe(
      `--check takes a check and false, true or fail, such as equalRewards=false, not "${check}". ${hint}`,
    )
  })

  it('reads a large file line by line, and lists only the first places', async () => {
    let open = 0
    async function* lines(): AsyncGenerator<string> {
      for (let line = 0; line < 100; line++) {
        expect(++open).toBe(1)
        yield JSON.stringify(group(line, line))
        open--
      }
    }
    const { rows: count, findings } = await checkTrainingFile(lines())
    expect(count).toBe(100)
    expect(findings).toMatchObject([{ check: 'equalRewards', count: 100, of: 100 }])
    expect(findings[0]!.places).toHaveLength(20)
  })

  it('writes a report for CI systems', async () => {
    const file = written([...rows, 'x'])
    const checks = '--check equalRewards=fail,brokenToolCalls=false'
    await run(`check-data ${file} ${checks} --junit junit.xml`)
    const xml = readFileSync(join(process.cwd(), 'junit.xml'), 'utf8')
    expect(xml).toContain('tests="9" failures="2" errors="0" skipped="1"')
    expect(xml).toContain('name="train.jsonl: lines"')
    expect(xml).toContain('<failure message="8 of 8 groups had equal rewards" type="equalRewards">')
    expect(xml).toContain('<skipped message="Did not run: it is off"/>')
  })
})
