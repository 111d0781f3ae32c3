import { describe, expect, it } from 'vitest'
import type { Command } from '../../src/cli/command.js'
import { exec } from '../../src/cli/commands/exec.js'
import type { DeclaredOptions } from '../../src/cli/options/declare.js'
import { reproduction, sameCommand, type Arguments } from '../../src/cli/report/reproduction.js'
import { explore } from '../../src/cli/tools/explore/command.js'

function again(args: Arguments, seed: number, by: Command = exec): string {
  return reproduction(by, args, { seed, chosen: args }).join(' ')
}

it('hides the secret of a variable, also if it has braces', () => {
  const mappings = exec.options.env.read('env', ['A_SECRET={"private_key": "x"}', 'API_KEY={key}'])
  expect(exec.options.env.write('env', mappings)).toEqual([
    '--env',
    'A_SECRET=[not shown]',
    '--env',
    'API_KEY={key}',
  ])
})

/** Options that only print or write something. */
const OUTPUTS: Readonly<Record<string, readonly string[]>> = {
  exec: 'export-on-exit without-secrets ready-file log trace report har without-contents junit'.split(
    ' ',
  ),
  explore: ['to', 'junit', 'report', 'json', 'verbose'],
}

/** Texts of values. Each option takes one of them. */
const SAMPLES = [
  'page.html',
  'model=./folder',
  'http://127.0.0.1/hook',
  'documented',
  '2',
  '5s',
  'x',
  'createRlTrainingJob:2:before',
  '*',
  'fail',
]

/** Reads the first text that an option takes. */
function sampleOf(name: string, { read, choices, type }: DeclaredOptions[string]): unknown {
  if (type === 'boolean') return read(name, true)
  const texts = [...(choices ?? []), ...SAMPLES].map(String)
  for (const text of texts) {
    try {
      return read(name, text)
    } catch {
      // It takes another kind.
    }
  }
  throw new Error(`No sample fits --${name}.`)
}

/** Reads words of a command line as the values of one option. */
function readWords(
  name: string,
  words: readonly string[],
  { read, type }: DeclaredOptions[string],
) {
  if (type === 'boolean') return read(name, words[0] === `--${name}`)
  const given = words
    .map((word) => word.replace(`--${name}=`, ''))
    .filter((word) => word !== `--${name}`)
  return read(name, given.length > 1 ? given : (given[0] ?? ''))
}

describe.each<Command>([exec, explore])('the command to run $name again', (by) => {
  const declared: DeclaredOptions = { ...by.emulator, ...by.options }
  const names = Object.keys(declared)

  it.each(names)('has --%s, or it only prints or writes something', (name) => {
    const value = sampleOf(name, declared[name]!)
    const text = again({ [name]: value, '--': ['true'] }, 1, by)
    expect(text.includes(` --${name}`)).toBe(!OUTPUTS[by.name]!.includes(name))
  })

  it.each(names)('writes --%s so that it is read as the same value, or hides it', (name) => {
    const option = declared[name]!
    const value = sampleOf(name, option)
    const words = option.write(name, value)
    if (option.isSecret) expect(words).toEqual([`--${name}`, '[not shown]'])
    else expect(readWords(name, words, option)).toEqual(value)
  })

  it.each(names.filter((name) => /key|secret|token|password/.test(name)))(
    'does not show a value of --%s',
    (name) => {
      // It only says what a file leaves out.
      expect(declared[name]).toMatchObject(
        name === 'without-secrets' ? { type: 'boolean' } : { isSecret: true },
      )
    },
  )
})

it('the command to run again has values that can be left out as they were given', () => {
  const { intercept, bill, checks } = exec.options
  expect(intercept.write('intercept', intercept.read('intercept', ''))).toEqual(['--intercept'])
  expect(bill.write('bill', bill.read('bill', ''))).toEqual(['--bill'])
  expect(checks.write('checks', checks.read('checks', 'fail'))).toEqual(['--checks=fail'])
})

it('the command to run again has the scenario, the seed and the options of this run', () => {
  expect(again({ '--': ['pytest', '-x'] }, 7)).toBe(
    'exec --scenario happy-path --seed 7 -- pytest -x',
  )
  const args = {
    scenario: './my file.yaml',
    contract: '2026-01',
    sink: true,
    log: 'json',
    env: [{ variable: 'OPENAI_BASE_URL', template: '{inference}' }],
    '--': ['sh', '-c', "echo 'it'"],
  }
  expect(again(args, 1)).toBe(
    String.raw`exec --scenario './my file.yaml' --seed 1 --contract 2026-01 --sink --env 'OPENAI_BASE_URL={inference}' -- sh -c 'echo '\''it'\'''`,
  )
})

it('the command to run again shows no password of a webhook', () => {
  const text = again({ webhook: ['http://me:top-secret@127.0.0.1/hook'], '--': ['true'] }, 1)
  expect(text).not.toContain('top-secret')
})

it.each([
  ['api-key', '[not shown]'],
  ['webhook-secret', '[not shown]'],
  ['control-token', '[not shown]'],
  ['env', 'OTHER_API_KEY=[not shown]'],
])('--%s refuses the words of a command that hides its value', (name, text) => {
  const declared: DeclaredOptions = { ...exec.emulator, ...exec.options }
  expect(() => declared[name]!.read(name, text)).toThrow(
    /^--\S+ has \[not shown\] where .+ was left out\. Write yours there\.$/,
  )
})

function shownVariable(variable: string): string {
  return again({ env: [{ variable, template: 'top-secret' }], '--': ['true'] }, 1)
}

it.each([
  'OTHER_API_KEY',
  'OPENAI_API_KEY_2',
  'OPENAI_API_KEY2',
  'API_KEYS',
  'SSH_KEY',
  'SSH_KEY_PATH',
  'DB_PASSWORD_PROD',
  'PGPASSWORD',
  'MYSQL_PWD',
  'GITHUB_TOKEN_FILE',
  'GITHUB_TOKENS',
  'AWS_SECRET_ACCESS_KEY',
  'githubToken',
  'SORT_KEY_API_KEY',
])('the command to run again hides the value of %s', (variable) => {
  const text = shownVariable(variable)
  expect(text).toContain(`--env '${variable}=[not shown]'`)
  expect(text).not.toContain('top-secret')
})

it.each([
  'EXIT_CODE',
  'SORT_KEY',
  'PRIMARY_KEYS',
  'MAX_NEW_TOKENS',
  'STOP_TOKEN',
  'KEYBOARD',
  'MONKEY_BARS',
  'AUTHOR',
])('the command to run again shows the value of %s', (variable) => {
  expect(shownVariable(variable)).toContain(`--env ${variable}=top-secret`)
})

it('saved state brings its own scenario and seed', () => {
  expect(again({ data: './kept', '--': ['true'] }, 3)).toBe('exec --data ./kept -- true')
})

/** The command of `exec` with these options as they were given. */
function same(args: Arguments): string[] {
  const { emulator, options } = exec
  const declared: DeclaredOptions = { ...emulator, ...options }
  const given = new Map(Object.entries(declared).filter(([name]) => Object.hasOwn(args, name)))
  return sameCommand(args, { by: 'exec', given })
}

it('the same command has the options as they were given, without secrets', () => {
  const args = {
    'api-key': ['top-secret'],
    'allow-host-out': ['a.test', 'b.test'],
    checks: { value: 'fail' },
    trace: 'my file',
    bill: { value: undefined },
    '--': ['pytest', '-k', 'a or b'],
  }
  expect(same(args).join(' ')).toBe(
    "exec --api-key '[not shown]' --allow-host-out a.test --allow-host-out b.test --checks=fail --trace 'my file' --bill -- pytest -k 'a or b'",
  )
  expect(same({ bill: { value: 'my prices.yaml' }, '--': ['true'] })).toContain(
    "'--bill=my prices.yaml'",
  )
})
