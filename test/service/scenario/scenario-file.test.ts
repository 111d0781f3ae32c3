import { operationNames } from '../../../src/service/contract/operation-names.js'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { readScenarioFile } from '../../../src/service/scenario/scenario-file.js'
import { parseScenario } from '../../../src/service/scenario/scenario-yaml.js'
import { createEmulator } from '../../../src/index.js'
import { ScenarioError } from '../../../src/service/scenario/scenario-error.js'
import { temporaryFolderOfSuite } from '../../support/temporary-folder.js'

function thrownBy(work: () => unknown): ScenarioError {
  try {
    work()
  } catch (error) {
    if (error instanceof ScenarioError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

/** The error message: a line with the file name, then one problem per line. */
function refusal(text: string): string {
  return thrownBy(() => parseScenario(text, 'mine.yaml')).message
}

function keys(count: number): string {
  return Array.from({ length: count }, (_, index) => `k${index}: 1,`).join(' ')
}

/** The first problem alone. */
function problem(text: string): string {
  return refusal(text).split('\n')[1]!.trim()
}

const topLevel =
  'Known here: $schema, name, description, extends, seed, clock, auth, artifactScheme, base_models, models, rl, checks, message_arrays, framework, sft, jobs, chat, faults, secrets, webhooks, automations, automation_limits, timeline, system_check, play.'

const LONG = /^it is too long: .* 2,000,000 characters, or 100,000 names, values/
const DEEP = /^it is nested too deeply; at most 200 lists and maps can be inside each other$/

describe('an invalid scenario', () => {
  it('is refused with all problems, their lines and columns, and suggestions', () => {
    const text = `nam: x
seed: -1
clock: { mode: reel, speed: 0 }
jobs:
  - match: { kind: rll, ordinal: 0 }
    timeline:
      - { event: trainin_started, after: 1x }
      - event: gradient_step
        every: 5
        cout: 3
        metrics:
          loss: { curve: exponentail, from: 1 }
          reward: { curve: linear, from: 1, too: 2 }
          entropy: abc
      - event: training_failed
`
    expect(refusal(text)).toMatchInlineSnapshot(`
      "mine.yaml cannot be used:
        mine.yaml:1:1 name: is missing
        mine.yaml:1:1 nam: unknown key "nam". Did you mean "name"? Known here: $schema, name, description, extends, seed, clock, auth, artifactScheme, base_models, models, rl, checks, message_arrays, framework, sft, jobs, chat, faults, secrets, webhooks, automations, automation_limits, timeline, system_check, play.
        mine.yaml:2:7 seed: expected at least 0, got -1
        mine.yaml:3:16 clock.mode: "reel" is not allowed here. Did you mean "real"? Allowed: real, auto, manual, instant.
        mine.yaml:3:29 clock.speed: expected more than 0, got 0
        mine.yaml:5:20 jobs[0].match.kind: "rll" is not allowed here. Did you mean "rl"? Allowed: rl, sft.
        mine.yaml:5:34 jobs[0].match.ordinal: expected more than 0, got 0
        mine.yaml:7:18 jobs[0].timeline[0].event: "trainin_started" is not allowed here. Did you mean "training_started"? Allowed: training_started, gradient_step, pause, stall, checkpoint, training_ended, training_failed, never.
        mine.yaml:9:16 jobs[0].timeline[1].every: expected a duration such as 250ms, 10s, 5m or 1h30m, got 5
        mine.yaml:10:9 jobs[0].timeline[1].cout: unknown key "cout". Did you mean "count"? Known here: event, after, every, within, jitter, count, metrics, spoil.
        mine.yaml:12:26 jobs[0].timeline[1].metrics.loss.curve: "exponentail" is not allowed here. Did you mean "exponential"? Allowed: constant, linear, exponential, sigmoid, cosine, step, plateau, diverge, list, formula.
        mine.yaml:13:19 jobs[0].timeline[1].metrics.reward.to: is missing
        mine.yaml:13:45 jobs[0].timeline[1].metrics.reward.too: unknown key "too". Did you mean "to"? Known here: curve, from, to, noise.
        mine.yaml:14:20 jobs[0].timeline[1].metrics.entropy: expected a number or a curve such as { curve: linear, from: 1, to: 0 }, got "abc"
        mine.yaml:15:9 jobs[0].timeline[2].error_message: is missing"
    `)
  })

  it.each([
    ['name: 5', '1:7 name: expected a text, got 5'],
    ["name: ''", '1:7 name: must not be empty, got ""'],
    ['name: [a]', '1:7 name: expected a text, got ["a"]'],
    ['description: hi', '1:1 name: is missing'],
    ['name: x\nseed: 1.5', '2:7 seed: expected a whole number, got 1.5'],
    ['name: x\nseed: .inf', '2:7 seed: expected a number, got Infinity'],
    ['name: x\nseed: "1"', '2:7 seed: expected a number, got "1"'],
    ['name: x\nseed: null', '2:7 seed: expected a number, got null'],
    [
      `name: x\nseed: ${'9'.repeat(200)}`,
      '2:7 seed: expected at most 9007199254740991, got 1e+200',
    ],
    ['name: x\nmodels: {}', '2:9 models: expected a list, got {}'],
    ['name: x\nbase_models: []', '2:14 base_models: must not be empty, got []'],
    ['name: x\njobs:\n  - 5', '3:5 jobs[0]: expected a map of keys and values, got 5'],
    ['name: x\njobs:\n  - {}', '3:5 jobs[0].timeline: is missing'],
    [
      'name: x\njobs:\n  - timeline: [{ after: 1s }]',
      '3:16 jobs[0].timeline[0].event: is missing. Allowed: training_started, gradient_step, pause, stall, checkpoint, training_ended, training_failed, never.',
    ],
    [
      'name: x\njobs:\n  - timeline: [{ event: never, after: 1s }]',
      '3:32 jobs[0].timeline[0].after: unknown key "after". Known here: event.',
    ],
    [
      'name: x\njobs:\n  - timeline: [{ event: gradient_step }, { event: never }]',
      '3:25 jobs[0].timeline[0].event: a gradient_step needs a training_started before it',
    ],
    [
      'name: x\nauth: { missingStatus: 402 }',
      '2:24 auth.missingStatus: 402 is not allowed here. Allowed: 401, 403.',
    ],
    [
      'name: x\nfaults: [{ fault: hang, match: { operation: [createModel, createTrainingJob] } }]',
      `2:59 faults[0].match.operation[1]: "createTrainingJob" is not allowed here. Did you mean "createRlTrainingJob"? Allowed: ${operationNames.join(', ')}.`,
    ],
    [
      'name: x\njobs: [{ match: { ordinal: two }, timeline: [{ event: never }] }]',
      '2:28 jobs[0].match.ordinal: expected a number or a map of keys and values, got "two"',
    ],
    [
      'name: x\nfaults: [{ fault: hang, calls: { from: 5, to: 2 } }]',
      '2:47 faults[0].calls.to: 2 comes before 5, where the range begins; expected at least 5',
    ],
    [
      'name: x\nfaults: [{ fault: hang, during: { from: 5s, to: 5s } }]',
      '2:49 faults[0].during.to: 5s is not after 5s, when it begins; expected more than 5s',
    ],
    [
      'name: x\nfaults: [{ fault: delay, delay: { median: 5s, p99: 2s } }]',
      '2:52 faults[0].delay.p99: 2s is shorter than 5s; expected at least 5s',
    ],
    [
      'name: x\nchat: { judge: { mistake: refusal, calls: { from: 3, to: 2 } } }',
      '2:58 chat.judge.calls.to: 2 comes before 3, where the range begins; expected at least 3',
    ],
    [
      'name: x\ntimeline: [{ after: { event: run_created, occurrence: { from: 2, to: 1 } }, do: stall_job }]',
      '2:70 timeline[0].after.occurrence.to: 1 comes before 2, where the range begins; expected at least 2',
    ],
    [
      'name: x\nwebhooks: [{ name: w, adversary: [{ do: down, from: 2s, to: 1s }] }]',
      '2:61 webhooks[0].adversary[0].to: 1s is not after 2s, when it begins; expected more than 2s',
    ],
    [
      'name: x\nwebhooks: [{ name: w, signature: { header: Connection } }]',
      '2:44 webhooks[0].signature.header: HTTP itself writes the header Connection; expected another name, such as X-Hub-Signature-256',
    ],
    ['name: x\nsft: { files: { 1: 2 } }', '2:15 sft.files.1: expected a text, got 2'],
    [`name: x\nseed: ${'z'.repeat(500)}`, `2:7 seed: expected a number, got "${'z'.repeat(79)}…`],
    ['name: x\nspeed: 5', `2:1 speed: unknown key "speed". Its place is clock.speed. ${topLevel}`],
    ['name: x\n__proto__: {}', `2:1 __proto__: unknown key "__proto__". ${topLevel}`],
    ['name: x\nconstructor: 1', `2:1 constructor: unknown key "constructor". ${topLevel}`],
    ['', '1:1 it is empty; a scenario has at least a name'],
    ['# nothing yet\n', '1:1 it is empty; a scenario has at least a name'],
    ['null', '1:1 it is empty; a scenario has at least a name'],
    ['hello', '1:1 expected a map of keys and values, got "hello"'],
    ['- a', '1:1 expected a map of keys and values, got ["a"]'],
  ])('is refused: %j', (text, expected) => {
    expect(problem(text)).toBe(`mine.yaml:${expected}`)
  })

  it.each([
    ['name: x\nname: y', '2:1 Map keys must be unique'],
    ['name: x\nsft: { files: { 1: a, "1": b } }', '2:23 Map keys must be unique'],
    ['name: x\n? [a, b]\n: c', '2:3 A key must be a name, not a list or a map'],
    ['name: x\njobs:\n\t- a', '3:1 Tabs are not allowed as indentation'],
    ['name: "x', '1:9 Missing closing "quote'],
    [
      'name: x\njobs: [a\nseed: 1',
      '3:1 Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    ['name: x\n---\nname: y', '2:1 A second document begins here; a file holds one scenario'],
    ['name: !!js/function x', '1:7 Unresolved tag: tag:yaml.org,2002:js/function'],
    ['name: *nobody', '1:7 *nobody refers to no &nobody before it'],
    ['{"name": "x",\n "jobs": [}', '2:11 Flow map must end with a }'],
  ])('is refused as YAML: %j', (text, expected) => {
    const [head, ...problems] = refusal(text).split('\n')
    expect(head).toBe('mine.yaml is not valid YAML:')
    expect(problems.map((line) => line.trim())).toContain(`mine.yaml:${expected}`)
    expect(problems.length).toBeLessThanOrEqual(5)
  })

  it.each([
    ['no secret is compared', 'jobs: 5\nsecrets: { x: whsec_!!! }', 1],
    ['only 100 are listed', `base_models: [${'1, '.repeat(150)}]`, 100],
    ['only 100 keys are listed', `clock: { ${keys(150)} mode: auto }`, 100],
    ['only 5 mistakes of the syntax are listed', 'seed: 1\n'.repeat(9), 5],
  ])('has problems that say that there may be others: %s', (_why, text, count) => {
    const { problems } = thrownBy(() => parseScenario(`name: x\n${text}`, 'mine.yaml'))
    expect(problems).toHaveLength(count)
    expect(problems[0]).toMatchObject({ hidesOthers: true })
  })

  it('lists some of many known names, and says how many more there are', () => {
    const secrets = Array.from({ length: 32 }, (_, index) => `s${index}: x`).join(', ')
    const text = `name: x\nsecrets: { ${secrets} }\nwebhooks: [{ name: w, secret: none }]`
    expect(problem(text)).toMatch(/There are: s0, .*, s29, and 2 more\. A webhook names a secret/)
  })

  it.each([
    ['aliases that multiply', bomb()],
    ['aliases without number', `name: x\ny: &y [1]\nz: [${'*y,'.repeat(20_000)}]`],
    ['brackets without end', `name: ${'['.repeat(50_000)}`],
  ])('is refused quickly: %s', (_name, text) => {
    expect(refusal(text)).toMatch(/^mine\.yaml (?:cannot be used|is not valid YAML):\n/)
  })

  it.each([
    ['40,000 anchors', `name: x\nfaults:\n${anchors(40_000)}`, /^mine\.yaml:\d{4}:\d+$/, LONG],
    ['100,000 names', `name: x\ntags: [${'a,'.repeat(100_000)}]`, /^mine\.yaml:2:\d+$/, LONG],
    ['3 MB', `name: x\ndescription: ${'d'.repeat(3e6)}`, /^mine\.yaml:2:1999993$/, LONG],
    ['keys of keys', `name: x\n${'? '.repeat(5000)}a`, /^mine\.yaml:2:2003$/, DEEP],
    ['lists of lists', `name: x\na: &a\n  ${'- '.repeat(20_000)}a`, /^mine\.yaml:3:2003$/, DEEP],
    ['lines far to the right', `name:\n${' '.repeat(2001)}a:\n`, /^mine\.yaml:2:2002$/, DEEP],
    ['brackets', `name: ${'['.repeat(300)}`, /^mine\.yaml:1:207$/, DEEP],
    ['braces', `name: ${'{'.repeat(300)}`, /^mine\.yaml:1:207$/, DEEP],
  ])('is refused before it is parsed: %s', (_name, text, place, why) => {
    const [head, refused, ...more] = refusal(text).split('\n')
    expect([head, more]).toEqual(['mine.yaml cannot be used:', []])
    const [, at, message] = /^ +(\S+) (.*)$/.exec(refused!)!
    expect(at).toMatch(place)
    expect(message).toMatch(why)
  })

  it.each([
    ['a key that is a key of a map', `name: x\n${'? '.repeat(900)}a`],
    ['a list', 'name: x\n[a]: b'],
    ['an alias of a list', 'name: &a [x]\n*a : b'],
  ])('may have only names as keys, not %s', (_name, text) => {
    expect(refusal(text)).toContain('A key must be a name, not a list or a map')
  })

  it('may have an alias of a name as a key, and long lines in texts', () => {
    const far = `|\n    ${' '.repeat(3000)}far to the right\n`
    const { name, description } = parseScenario(`name: &a description\n*a : ${far}`, 'mine.yaml')
    expect([name, description]).toEqual(['description', expect.stringContaining('far to the')])
  })

  it('may have thousands of lines', () => {
    const { faults } = parseScenario(`name: x\nfaults:\n${anchors(1000)}\n`, 'mine.yaml')
    expect(faults).toHaveLength(1000)
  })
})

function anchors(count: number): string {
  const faults = Array.from(
    { length: count },
    (_, at) => `  - &f${at} {fault: status, status: 503}`,
  )
  return faults.join('\n')
}

function bomb(): string {
  const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
  const lines = letters.map((letter, index) => {
    const before = index === 0 ? 'x' : `*${letters[index - 1]}`
    return `${letter}: &${letter} [${Array(9).fill(before).join(', ')}]`
  })
  return `name: x\n${lines.join('\n')}\n`
}

describe('a scenario', () => {
  const steps = '[{ event: training_started }, { event: training_ended }]'

  it('can use YAML aliases, and override what they repeat', () => {
    const scenario = parseScenario(
      `name: x
jobs:
  - &first
    match: { ordinal: 1 }
    timeline: &steps ${steps}
  - match: { ordinal: 2 }
    timeline: *steps
  - <<: *first
    match: { ordinal: 3 }
`,
      'mine.yaml',
    )
    expect(scenario.jobs.map(({ match }) => match)).toEqual(
      [1, 2, 3].map((ordinal) => ({ ordinal })),
    )
    expect(scenario.jobs[1]!.timeline).toEqual(scenario.jobs[0]!.timeline)
    expect(scenario.jobs[2]!.timeline).toEqual(scenario.jobs[0]!.timeline)
  })

  it('with a problem at an alias is refused with the position of the alias', () => {
    const text = 'name: x\nsft: { sequences: &no none }\nseed: *no\n'
    expect(refusal(text)).toBe(
      'mine.yaml cannot be used:\n' +
        '  mine.yaml:2:23 sft.sequences: expected a number, got "none"\n' +
        '  mine.yaml:3:7 seed: expected a number, got "none"',
    )
  })

  it('with a value that should be a function is refused with its position', () => {
    const misplaced = { name: 'x', chat: { rules: [() => 'mine'] } }
    expect(() => createEmulator({ scenario: misplaced as never })).toThrow(
      'chat.rules[0]: expected a map of keys and values, got a function',
    )
  })

  it.each([
    ['YAML', 'name: x\nseed: 3\n'],
    ['JSON', '{"name": "x", "seed": 3}'],
    ['Windows lines', 'name: x\r\nseed: 3\r\n'],
    ['a byte order mark', '\uFEFFname: x\nseed: 3\n'],
    ['one document with its marks', '%YAML 1.2\n---\nname: x\nseed: 3\n...\n'],
  ])('can be written as %s', (_name, text) => {
    expect(parseScenario(text, 'mine.yaml')).toMatchObject({ name: 'x', seed: 3 })
  })

  it('gets its defaults', () => {
    const scenario = parseScenario('name: x', 'mine.yaml')
    expect(scenario).toMatchObject({ name: 'x', description: '', auth: { missingStatus: 401 } })
  })

  it('has the columns that editors show after a byte order mark', () => {
    expect(problem('\uFEFFnam: x\nname: y')).toMatch(/^mine\.yaml:1:1 nam: unknown key/)
  })
})

describe('a scenario file', () => {
  const folder = temporaryFolderOfSuite()

  it('is loaded with its name', async () => {
    writeFileSync(join(folder, 'mine.yaml'), 'name: mine\n')
    expect((await readScenarioFile(join(folder, 'mine.yaml'))).name).toBe('mine')
  })

  it.each([
    [
      'that is not there',
      'missing.yaml',
      'there is no such file in .+\\. Did you mean .+mine\\.yaml\\?',
    ],
    ['that is a folder', '', 'it is a folder\\.'],
    [
      'that is not in UTF-8',
      'latin.yaml',
      'it is not text in UTF-8\\. Save it in this encoding\\.',
    ],
  ])('%s', async (_name, name, reason) => {
    writeFileSync(join(folder, 'latin.yaml'), 'name: caf\u00e9', 'latin1')
    const reading = readScenarioFile(join(folder, name))
    await expect(reading).rejects.toBeInstanceOf(ScenarioError)
    await expect(reading).rejects.toThrow(new RegExp(`^Failed to read the scenario .*: ${reason}$`))
  })
})

it('is no file of another machine', () => {
  const { message } = thrownBy(() => createEmulator({ scenario: 'file://elsewhere/mine.yaml' }))
  expect(message).toMatch(/^Failed to read the scenario file:\/\/elsewhere\/mine\.yaml: .*host/)
})

it('checks a scenario without compiling functions, which takes longer than the check', () => {
  const compile = vi.spyOn(globalThis, 'Function')
  try {
    parseScenario('{ name: mine, jobs: [{ timeline: [{ event: never }] }] }', 'mine.yaml')
    expect(compile).not.toHaveBeenCalled()
  } finally {
    compile.mockRestore()
  }
})
