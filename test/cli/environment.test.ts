import { servedOptions } from '../../src/cli/options/serve.js'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DOCUMENTED_BASE_MODELS } from '../../src/base/text/vendor/base-models.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { defaults, refusal, settings } from './parsed.js'

describe('environment variables', () => {
  it('set every flag', async () => {
    const environment = {
      SVTRAIN_EMULATOR_SCENARIO: 'sft',
      SVTRAIN_EMULATOR_PORT: '1',
      SVTRAIN_EMULATOR_INFERENCE_PORT: '2',
      SVTRAIN_EMULATOR_HOST: '::1',
      SVTRAIN_EMULATOR_ALLOW_HOST: 'a.test, b.test',
      SVTRAIN_EMULATOR_CORS: 'http://a.test,http://b.test',
      SVTRAIN_EMULATOR_API_KEY: 'one,two',
      SVTRAIN_EMULATOR_CLOCK: 'auto',
      SVTRAIN_EMULATOR_SPEED: '2.5',
      SVTRAIN_EMULATOR_SEED: '7',
      SVTRAIN_EMULATOR_BASE_PATH: '/api',
      SVTRAIN_EMULATOR_DATA_ROOT: 'data',
      SVTRAIN_EMULATOR_WEBHOOK: 'http://a.test/, http://b.test/',
      SVTRAIN_EMULATOR_WEBHOOK_SECRET: 'shared',
      SVTRAIN_EMULATOR_CONTROL_TOKEN: 'secret-token-of-the-test',
      SVTRAIN_EMULATOR_ISOLATE: 'api-key',
      SVTRAIN_EMULATOR_CONTRACT: '2026-01',
      SVTRAIN_EMULATOR_DATA: 'kept',
      SVTRAIN_EMULATOR_KEEP_JOBS: '5000',
      SVTRAIN_EMULATOR_IMPORT: 'from.json',
      SVTRAIN_EMULATOR_EXPORT_ON_EXIT: 'to.json',
      SVTRAIN_EMULATOR_SINK: 'yes',
      SVTRAIN_EMULATOR_SINK_PORT: '3',
      SVTRAIN_EMULATOR_WATCH: 'yes',
      SVTRAIN_EMULATOR_SERVE_ANY_MODEL: 'yes',
      SVTRAIN_EMULATOR_BASE_MODEL: 'org/a,org/b=./tokenizer',
      SVTRAIN_EMULATOR_BASE_MODELS: 'documented',
      SVTRAIN_EMULATOR_WITHOUT_SECRETS: 'true',
      SVTRAIN_EMULATOR_READY_FILE: 'ready.json',
      SVTRAIN_EMULATOR_LOG: 'silent',
      SVTRAIN_EMULATOR_INTERCEPT: 'true',
      SVTRAIN_EMULATOR_ALLOW_HOST_OUT: 'huggingface.co,.example.com',
      SVTRAIN_EMULATOR_INTERCEPT_PORT: '4',
      SVTRAIN_EMULATOR_CERTIFICATES: 'certificates',
    }
    expect(await settings('', environment)).toEqual({
      scenario: 'sft',
      port: 1,
      inferencePort: 2,
      host: '::1',
      allowedHosts: ['a.test', 'b.test'],
      corsOrigins: ['http://a.test', 'http://b.test'],
      apiKeys: ['one', 'two'],
      clock: 'auto',
      speed: 2.5,
      seed: 7,
      serveAnyModel: true,
      baseModels: [
        ...DOCUMENTED_BASE_MODELS,
        { id: 'org/a' },
        { id: 'org/b', tokenizer: './tokenizer' },
      ],
      basePath: 'api',
      dataRoot: 'data',
      webhooks: [
        { url: 'http://a.test/', secret: 'shared' },
        { url: 'http://b.test/', secret: 'shared' },
      ],
      controlToken: 'secret-token-of-the-test',
      isolate: 'api-key',
      contract: '2026-01',
      data: 'kept',
      keepJobs: 5000,
      importFrom: 'from.json',
      exportOnExit: 'to.json',
      exportSecrets: false,
      sink: true,
      sinkPort: 3,
      watch: true,
      readyFile: 'ready.json',
      log: 'silent',
      proxy: {
        addresses: [],
        allowed: ['huggingface.co', '.example.com'],
        port: 4,
        folder: 'certificates',
      },
    })
    // A flag that is added is set here, too.
    expect(Object.keys(environment)).toHaveLength(Object.keys(servedOptions).length)
  })

  it('yield to the command line, also for lists', async () => {
    const environment = {
      SVTRAIN_EMULATOR_PORT: '1',
      SVTRAIN_EMULATOR_API_KEY: 'one,two',
      SVTRAIN_EMULATOR_WATCH: 'true',
      SVTRAIN_EMULATOR_SEED: '7',
    }
    const { port, apiKeys, watch, seed } = await settings(
      '--port 2 --api-key three --no-watch',
      environment,
    )
    expect({ port, apiKeys, watch, seed }).toEqual({
      port: 2,
      apiKeys: ['three'],
      watch: false,
      seed: 7,
    })
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
      { SVTRAIN_EMULATOR_LOG: 'prety' },
      'SVTRAIN_EMULATOR_LOG takes "pretty", "json" or "silent", not "prety". Did you mean "pretty"?',
    ],
    [
      { SVTRAIN_EMULATOR_WATCH: 'banana' },
      'SVTRAIN_EMULATOR_WATCH takes true or false, not "banana".',
    ],
    [
      { SVTRAIN_EMULATOR_EXTENSIONS: 'all' },
      'SVTRAIN_EMULATOR_EXTENSIONS was removed in 0.3: the service has no such wire; leave it out, and send chats to /v1/chat/completions.',
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

  it.each<[name: string, files: Record<string, string>]>([
    [FILE, { [FILE]: 'scenario: sft\nport: 4700\napi-key: [one, two]\nsink: true\n' }],
    [
      'svtrain-emulator in package.json',
      {
        'package.json': JSON.stringify({
          name: 'mine',
          'svtrain-emulator': {
            scenario: 'sft',
            port: 4700,
            'api-key': ['one', 'two'],
            sink: true,
          },
        }),
      },
    ],
  ])('is %s', async (config, files) => {
    const set = { config, scenario: 'sft', port: 4700, apiKeys: ['one', 'two'], sink: true }
    expect(await settings('', {}, project(files))).toEqual({ ...defaults, ...set })
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
