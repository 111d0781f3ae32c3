import { servedOptions } from '../../src/cli/options/serve.js'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Settings } from '../../src/cli/options/settings.js'
import { DOCUMENTED_BASE_MODELS } from '../../src/base/text/vendor/base-models.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { defaults, refusal, settings } from './parsed.js'

describe('environment variables', () => {
  const flags: [variables: Record<string, string>, set: Partial<Settings>][] = [
    [{ SCENARIO: 'sft' }, { scenario: 'sft' }],
    [{ PORT: '1' }, { port: 1 }],
    [{ INFERENCE_PORT: '2' }, { inferencePort: 2 }],
    [{ HOST: '::1' }, { host: '::1' }],
    [{ ALLOW_HOST: 'a.test, b.test' }, { allowedHosts: ['a.test', 'b.test'] }],
    [{ CORS: 'http://a.test,http://b.test' }, { corsOrigins: ['http://a.test', 'http://b.test'] }],
    [{ API_KEY: 'one,two' }, { apiKeys: ['one', 'two'] }],
    [{ CLOCK: 'auto' }, { clock: 'auto' }],
    [{ SPEED: '2.5' }, { speed: 2.5 }],
    [{ SEED: '7' }, { seed: 7 }],
    [{ BASE_PATH: '/api' }, { basePath: 'api' }],
    [{ DATA_ROOT: 'data' }, { dataRoot: 'data' }],
    [
      { WEBHOOK: 'http://a.test/, http://b.test/', WEBHOOK_SECRET: 'shared' },
      {
        webhooks: [
          { url: 'http://a.test/', secret: 'shared' },
          { url: 'http://b.test/', secret: 'shared' },
        ],
      },
    ],
    [{ CONTROL_TOKEN: 'secret-token-of-the-test' }, { controlToken: 'secret-token-of-the-test' }],
    [{ ISOLATE: 'api-key' }, { isolate: 'api-key' }],
    [{ CONTRACT: '2026-01' }, { contract: '2026-01' }],
    [{ DATA: 'kept' }, { data: 'kept' }],
    [{ KEEP_JOBS: '5000' }, { keepJobs: 5000 }],
    [{ IMPORT: 'from.json' }, { importFrom: 'from.json' }],
    [
      { EXPORT_ON_EXIT: 'to.json', WITHOUT_SECRETS: 'true' },
      { exportOnExit: 'to.json', exportSecrets: false },
    ],
    [
      { SINK: 'yes', SINK_PORT: '3' },
      { sink: true, sinkPort: 3 },
    ],
    [{ WATCH: 'yes' }, { watch: true }],
    [{ SERVE_ANY_MODEL: 'yes' }, { serveAnyModel: true }],
    [
      { BASE_MODEL: 'org/a,org/b=./tokenizer', BASE_MODELS: 'documented' },
      {
        baseModels: [
          ...DOCUMENTED_BASE_MODELS,
          { id: 'org/a' },
          { id: 'org/b', tokenizer: './tokenizer' },
        ],
      },
    ],
    [{ READY_FILE: 'ready.json' }, { readyFile: 'ready.json' }],
    [{ LOG: 'silent' }, { log: 'silent' }],
    [
      {
        INTERCEPT: 'true',
        ALLOW_HOST_OUT: 'huggingface.co,.example.com',
        INTERCEPT_PORT: '4',
        CERTIFICATES: 'certificates',
      },
      {
        serveAnyModel: true,
        proxy: {
          addresses: [],
          allowed: ['huggingface.co', '.example.com'],
          port: 4,
          folder: 'certificates',
        },
      },
    ],
  ]

  it.each(flags)('set the flag of %j', async (variables, set) => {
    const environment = Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [`SVTRAIN_EMULATOR_${name}`, value]),
    )
    expect(await settings('', environment)).toEqual({ ...defaults, ...set })
  })

  it('set every flag', () => {
    const variables = flags.flatMap(([each]) => Object.keys(each))
    expect(variables).toHaveLength(Object.keys(servedOptions).length)
  })

  it('yield to the command line, also for lists', async () => {
    const environment = {
      SVTRAIN_EMULATOR_PORT: '1',
      SVTRAIN_EMULATOR_API_KEY: 'one,two',
      SVTRAIN_EMULATOR_WATCH: 'true',
      SVTRAIN_EMULATOR_SEED: '7',
    }
    const given = await settings('--port 2 --api-key three --no-watch', environment)
    expect(given).toMatchObject({ port: 2, apiKeys: ['three'], watch: false, seed: 7 })
  })

  it('are ignored if they are empty or meant for clients', async () => {
    const environment = {
      SVTRAIN_EMULATOR_PORT: '',
      SVTRAIN_API_KEY: 'any-key',
      SVTRAIN_BASE_URL: 'http://127.0.0.1:4600/v1',
      SVTRAIN_INFERENCE_URL: 'http://127.0.0.1:4601/v1',
    }
    expect(await settings('', environment)).toEqual(defaults)
  })

  it.each([
    [
      { SVTRAIN_EMULATOR_PROT: '1' },
      'Unknown environment variable "SVTRAIN_EMULATOR_PROT". Did you mean SVTRAIN_EMULATOR_PORT?',
    ],
    [
      { SVTRAIN_EMULATOR_PORT: 'abc' },
      'SVTRAIN_EMULATOR_PORT takes a whole number from 0 to 65535, not "abc".',
    ],
    [
      { SVTRAIN_EMULATOR_WATCH: 'banana' },
      'SVTRAIN_EMULATOR_WATCH takes true or false, not "banana".',
    ],
    [{ SVTRAIN_EMULATOR_API_KEY: 'one,' }, 'SVTRAIN_EMULATOR_API_KEY takes a key; none was given.'],
  ])('%j are refused', async (environment, message) => {
    expect(await refusal('', environment)).toBe(message)
  })

  it('may contain the program that the Python package starts', async () => {
    expect(await settings('', { SVTRAIN_EMULATOR_BIN: '/opt/emulator' })).toEqual(defaults)
  })

  it('are listed if no name is similar to the unknown one', async () => {
    const message = await refusal('', { SVTRAIN_EMULATOR_SOMETHING_ELSE: '1' })
    expect(message).toMatch(
      /^Unknown environment variable "SVTRAIN_EMULATOR_SOMETHING_ELSE"\. Known: SVTRAIN_EMULATOR_SCENARIO, .*SVTRAIN_EMULATOR_CERTIFICATES\.$/,
    )
  })
})

describe('the configuration of a project', () => {
  const FILE = 'svtrain.config.yaml'

  function project(files: Readonly<Record<string, string>>): string {
    const folder = temporaryFolder()
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
    return folder
  }

  it.each([
    [FILE, 'scenario: sft\nport: 4700\napi-key: [one, two]\nsink: true\n'],
    [
      'package.json',
      '{"svtrain-emulator": {"scenario": "sft", "port": 4700, "api-key": ["one", "two"], "sink": true}}',
    ],
  ])('is in %s', async (name, content) => {
    const config = name === FILE ? FILE : `svtrain-emulator in ${name}`
    const set = { config, scenario: 'sft', port: 4700, apiKeys: ['one', 'two'], sink: true }
    expect(await settings('', {}, project({ [name]: content }))).toEqual({ ...defaults, ...set })
  })

  it('has values as they are written', async () => {
    const found = await settings('', {}, project({ [FILE]: 'api-key: 007' }))
    expect(found).toMatchObject({ apiKeys: ['007'] })
  })

  it('counts less than variables, and these less than the command line', async () => {
    const folder = project({ [FILE]: 'port: 1\nseed: 1\nspeed: 1\n' })
    const environment = { SVTRAIN_EMULATOR_SEED: '2', SVTRAIN_EMULATOR_SPEED: '2' }
    const found = await settings('serve --speed 3', environment, folder)
    expect(found).toMatchObject({ port: 1, seed: 2, speed: 3 })
  })

  it('is not read if a variable says so, as for an emulator that the Python package starts', async () => {
    const folder = project({ [FILE]: 'port: 1' })
    expect(await settings('', { SVTRAIN_EMULATOR_CONFIG: 'none' }, folder)).toEqual(defaults)
  })

  it('is not there in most projects', async () => {
    const manifest = JSON.stringify({ dependencies: { 'svtrain-emulator': '1.2.3' } })
    expect(await settings('', {}, project({ 'package.json': manifest }))).toEqual(defaults)
    expect(await settings('', {}, project({ 'package.json': '{' }))).toEqual(defaults)
    expect(await settings('', {}, project({ [FILE]: '' }))).toEqual({ ...defaults, config: FILE })
  })

  it.each<[files: Record<string, string>, message: string | RegExp]>([
    [{ [FILE]: 'prot: 1' }, 'Unknown option "prot" in svtrain.config.yaml. Did you mean port?'],
    [{ [FILE]: 'checks: true' }, /^Unknown option "checks" in svtrain\.config\.yaml\. Known: /],
    [{ [FILE]: 'port: many' }, /^port in svtrain\.config\.yaml takes .*"many"/],
    [
      { [FILE]: 'port: { a: 1 }' },
      'port in svtrain.config.yaml must be a text, a number, true, false, or a list of these.',
    ],
    [{ [FILE]: 'port: [1, 2]' }, 'port in svtrain.config.yaml can be given only once.'],
    [{ [FILE]: 'port: []' }, 'port in svtrain.config.yaml can be given only once.'],
    [{ [FILE]: 'watch: [true]' }, 'watch in svtrain.config.yaml can be given only once.'],
    [{ [FILE]: 'watch:' }, 'watch in svtrain.config.yaml takes true or false; none was given.'],
    [
      { [FILE]: '- port' },
      'svtrain.config.yaml must have options and their values, such as "port: 4700".',
    ],
    [{ [FILE]: 'port: [' }, /^svtrain\.config\.yaml: .+ at line 1, column \d+:$/],
    [
      { [FILE]: 'port: 1', 'package.json': '{"svtrain-emulator": {}}' },
      'svtrain.config.yaml and svtrain-emulator in package.json both set options. Keep one of them.',
    ],
  ])('is refused with its file and its key: %j', async (files, message) => {
    expect(await refusal('', {}, project(files))).toMatch(message)
  })
})
