import { describe, expect, it } from 'vitest'
import type { Settings } from '../../src/cli/options/settings.js'
import { defaults, refusal, settings, text } from './parsed.js'

describe('the command line', () => {
  it('can be empty', async () => {
    expect(await settings('')).toEqual(defaults)
  })

  it.each<[string, Partial<Settings>]>([
    ['--scenario=./mine.yaml', { scenario: './mine.yaml' }],
    ['--scenario 123', { scenario: '123' }],
    ['--port=0', { port: 0 }],
    ['--port 65535', { port: 65_535 }],
    ['--host 0.0.0.0', { host: '0.0.0.0' }],
    ['--host [::1]', { host: '::1' }],
    ['--host emulator.test', { host: 'emulator.test' }],
    ['--allow-host A.test --allow-host b', { allowedHosts: ['a.test', 'b'] }],
    ['--cors http://localhost:5173', { corsOrigins: ['http://localhost:5173'] }],
    ['--cors HTTP://LocalHost:80/', { corsOrigins: ['http://localhost'] }],
    ['--cors * --cors null', { corsOrigins: ['*', 'null'] }],
    ['--cors moz-extension://abc-1/', { corsOrigins: ['moz-extension://abc-1'] }],
    ['--api-key one --api-key two', { apiKeys: ['one', 'two'] }],
    ['--api-key a,b', { apiKeys: ['a,b'] }],
    ['--api-key 007', { apiKeys: ['007'] }],
    [
      '--webhook http://a/ --webhook http://b/',
      { webhooks: [{ url: 'http://a/' }, { url: 'http://b/' }] },
    ],
    ['--speed 100', { speed: 100 }],
    ['--speed .5', { speed: 0.5 }],
    ['--speed 1e3', { speed: 1000 }],
    ['--seed 0', { seed: 0 }],
    ['--seed 9007199254740991', { seed: Number.MAX_SAFE_INTEGER }],
    ['--base-path /api/training', { basePath: 'api/training' }],
    ['--base-path api/training/', { basePath: 'api/training' }],
    ['--base-path /', { basePath: '' }],
    ['--watch --no-watch', { watch: false }],
    ['--no-watch', { watch: false }],
  ])('%s', async (line, expected) => {
    expect(await settings(line)).toEqual({ ...defaults, ...expected })
  })

  it.each([
    ['--prot 1', 'Unknown option "--prot". Did you mean --port?'],
    ['--scenarios=a', 'Unknown option "--scenarios". Did you mean --scenario?'],
    ['--inferenceport 1', 'Unknown option "--inferenceport". Did you mean --inference-port?'],
    ['--hlep', 'Unknown option "--hlep". Did you mean --help?'],
    ['--xyzzy-plugh', 'Unknown option "--xyzzy-plugh".'],
    ['--foo.bar 1', 'Unknown option "--foo.bar".'],
    // yargs renames it, so that it sets no prototype.
    ['--__proto__ 1', 'Unknown option "--___proto___".'],
    ['-x', 'Unknown option "-x".'],
    ['--no-port', 'Unknown option "--no-port".'],
    [
      '--prot 1 --sede 2',
      'Unknown option "--prot". Did you mean --port?\nUnknown option "--sede". Did you mean --seed?',
    ],
    ['failing-job', 'Unexpected argument "failing-job". Did you mean --scenario failing-job?'],
    ['hapy-path', 'Unexpected argument "hapy-path". Did you mean --scenario happy-path?'],
    ['./mine.yml', 'Unexpected argument "./mine.yml". Did you mean --scenario ./mine.yml?'],
    [
      'start',
      'There is no command "start": svtrain-emulator itself serves. Leave "start" out, as in svtrain-emulator --scenario failing-job.',
    ],
    [
      'run --seed 3',
      'There is no command "run": svtrain-emulator itself serves. Leave "run" out, as in svtrain-emulator --scenario failing-job. To run a program with it: svtrain-emulator exec -- <command>.',
    ],
    [
      '-- start',
      'There is no command "start": svtrain-emulator itself serves. Leave "start" out, as in svtrain-emulator --scenario failing-job.',
    ],
    ['-', 'Unexpected argument "-". There is no such command. The command help lists all.'],
  ])('refuses %s', async (line, message) => {
    expect(await refusal(line)).toBe(message)
  })

  it.each([
    ['--port takes a whole number from 0 to 65535', ['abc', '65536', '-5', '1.5', '0x10']],
    ['--speed takes a number above 0, at most 1000000', ['0', '-1', 'fast', '1e99']],
    ['--seed takes a whole number from 0 to 9007199254740991', ['-1', '9007199254740993']],
    ['--clock takes "real", "auto", "manual" or "instant"', ['sundial']],
    ['--host takes an address or a host name to bind, such as 0.0.0.0', ['http://x']],
    [
      '--allow-host takes a host name without scheme or port, such as emulator.test, or .example.com for all below it',
      ['emulator.test:80'],
    ],
    [
      '--cors takes an origin such as http://localhost:5173, or * for all',
      ['localhost:5173', 'http://localhost/app'],
    ],
    [
      '--base-path takes a path of letters, digits and . _ ~ - such as /api/training',
      ['http://x/y', '/a/../b'],
    ],
    ['--contract takes "2026-01" or "2026-11"', ['latest']],
    ['--webhook takes a URL that begins with http:// or https://', ['localhost']],
  ])('%s, not %j', async (takes, values) => {
    const [flag] = takes.split(' ')
    for (const value of values) {
      expect(await refusal(`${flag} ${value}`)).toBe(`${takes}, not "${value}".`)
    }
  })

  it.each([
    ['2026-10', 'In 2026-10, "2026-01" was in force.'],
    ['2027-03-01', 'In 2027-03, "2026-11" was in force.'],
    ['2025-12', 'The oldest one is "2026-01".'],
    ['2026-1', 'Did you mean "2026-01"?'],
  ])('refuses --contract %s, and says which one it may be', async (value, hint) => {
    expect(await refusal(`--contract ${value}`)).toBe(
      `--contract takes "2026-01" or "2026-11", not "${value}". ${hint}`,
    )
  })

  it.each([
    ['--sink-port 0', '--sink'],
    ['--without-secrets', '--export-on-exit'],
    ['--webhook-secret s', '--webhook'],
    ['--allow-host-out pypi.org', '--intercept'],
    ['--intercept-port 0', '--intercept'],
    ['--certificates c', '--intercept'],
  ])('refuses %s without %s', async (line, needed) => {
    expect(await refusal(line)).toBe(`${line.split(' ')[0]} needs ${needed}, which was not given.`)
  })

  it.each(['--port', '--port=', '--port --watch'])('refuses %s without a value', async (line) => {
    expect(await refusal(line)).toBe('--port takes a whole number from 0 to 65535; none was given.')
  })

  it.each([
    ["--scenario ''", '--scenario takes a name or a file; none was given.'],
    ["--api-key one --api-key ''", '--api-key takes a key; none was given.'],
    ['--api-key one --api-key', '--api-key takes a value; none was given.'],
    ['--log jsn', '--log takes "pretty", "json" or "silent", not "jsn". Did you mean "json"?'],
    [
      '--watch=banana',
      '--watch takes no value; leave it out, or put "no-" before the name to turn the option off.',
    ],
    [
      '--extensions responses',
      '--extensions was removed in 0.3: the service has no such wire; leave it out, and send chats to /v1/chat/completions.',
    ],
    ['--scenario a --scenario b', '--scenario can be given only once.'],
    ['--port 1 --port 2', '--port can be given only once.'],
  ])('refuses %s with the reason', async (line, message) => {
    expect(await refusal(line)).toBe(message)
  })

  it.each(['--api-kye=secret-key', '--api-kye secret-key', '--api-key one secret-key'])(
    'never prints a key: %s',
    async (line) => {
      expect(await refusal(line)).not.toContain('secret-key')
    },
  )
})

describe('the help and the version', () => {
  it.each(['--help', '-h', '--help --port abc', '--help start'])(
    'are shown by %s, as in test/golden/help.txt',
    async (line) => {
      const help = await text(line, { SVTRAIN_EMULATOR_PORT: 'broken', SVTRAIN_EMULATOR_X: 'y' })
      await expect(`${help}\n`).toMatchFileSnapshot('../golden/help.txt')
    },
  )

  it('fit a small terminal: the commands and options of each day', async () => {
    const lines = (await text('--help', {}, 80)).split('\n')
    expect(lines.length).toBeLessThan(24)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  it('have everything one word away, as in test/golden/whole-help.txt', async () => {
    expect(await text('--help')).toContain('All commands and options: svtrain-emulator help')
    const help = await text('help')
    await expect(`${help}\n`).toMatchFileSnapshot('../golden/whole-help.txt')
  })

  it.each(['help exce', 'exce --help', 'exce -h'])('are not shown by %s', async (line) => {
    expect(await refusal(line)).toBe('Unexpected argument "exce". Did you mean exec?')
  })

  it.each([
    [60, 60],
    [100, 100],
    [200, 200],
    [20, 60],
    [1000, 200],
  ])('fit a terminal of %d columns in %d columns', async (columns, width) => {
    const lines = (await text('help', {}, columns)).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBe(width)
    expect(lines.filter((line) => /\S\[(?:string|boolean|array)\]/.test(line))).toEqual([])
  })

  it('are short with --version: only the version', async () => {
    expect(await text('--version')).toBe('1.2.3')
  })
})
