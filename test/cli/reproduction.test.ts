import { describe, expect, it } from 'vitest'
import type { Command } from '../../src/cli/command.js'
import { exec } from '../../src/cli/commands/exec.js'
import type { DeclaredOptions } from '../../src/cli/options/declare.js'
import { reproduction, sameCommand, type Arguments } from '../../src/cli/report/reproduction.js'
import { explore } from '../../src/cli/tools/explore/command.js'

function again(args: Arguments, seed: number, by: Command = exec): string {
  return reproduction(by, args, { seed, chosen: args }).join(' ')
}

/** Options that only print or write something. */
const OUTPUTS: Readonly<Record<string, readonly string[]>> = {
  exec: [
    'export-on-exit',
    'without-secrets',
    'ready-file',
    'log',
    'trace',
    'report',
    'har',
    'without-contents',
    'junit',
  ],
  explore: ['to', 'junit', 'report', 'json', 'verbose'],
}

function sampleFor(name: string, { type }: DeclaredOptions[string]): unknown {
  if (name === 'env') return [{ variable: 'RUN', template: 'x' }]
  if (name === 'bill' || name === 'checks') return { value: 'x' }
  return type === 'boolean' ? true : ['x']
}

describe.each<Command>([exec, explore])('the command to run $name again', (by) => {
  const declared: DeclaredOptions = { ...by.emulator, ...by.options }

  it.each(Object.keys(declared))('has --%s, or it only prints or writes something', (name) => {
    const text = again({ [name]: sampleFor(name, declared[name]!), '--': ['true'] }, 1, by)
    expect(text.includes(` --${name}`)).toBe(!OUTPUTS[by.name]!.includes(name))
  })
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

it('the command to run again shows no secrets', () => {
  const text = again(
    {
      'api-key': ['top-secret'],
      'webhook-secret': 'top-secret',
      webhook: ['http://me:top-secret@127.0.0.1/hook'],
      env: [{ variable: 'OTHER_API_KEY', template: 'top-secret' }],
      '--': ['true'],
    },
    1,
  )
  expect(text).toContain("--api-key '[not shown]'")
  expect(text).not.toContain('top-secret')
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

it('the same command has the options as they were given, without secrets', () => {
  const given = {
    _: ['exec'],
    $0: 'svtrain-emulator',
    scenario: undefined,
    bill: { value: undefined },
    trace: 'my file',
    only: ['happy-path', 'faults'],
    checks: { value: 'fail' },
    'api-key': ['top-secret'],
    '--': ['pytest', '-k', 'a or b'],
  }
  expect(sameCommand(given, 'exec').join(' ')).toBe(
    "exec --bill --trace 'my file' --only happy-path --only faults --checks=fail --api-key '[not shown]' -- pytest -k 'a or b'",
  )
  expect(sameCommand({ bill: { value: 'my prices.yaml' }, '--': ['true'] }, 'exec')).toContain(
    "'--bill=my prices.yaml'",
  )
})
