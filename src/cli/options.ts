import type { Options, PositionalOptions } from 'yargs'
import { DEFAULT_SCENARIO } from '../service/scenario/built-in-scenarios.js'
import { SIGNATURE_HEADER } from '../webhooks/signature/signature.js'
import type { WebhookReceiver } from '../webhooks/sending/receivers.js'
import { clockModes } from '../base/clock/clock.js'
import { NEWEST_CONTRACT, type ContractVersion } from '../service/contract/versions.js'
import { UsageError } from './usage-error.js'
import {
  address,
  anyText,
  contractVersion,
  headerName,
  hostName,
  oneOf,
  origin,
  port,
  readValue,
  seed,
  speed,
  toggle,
  token,
  urlPath,
  webUrl,
  type Value,
} from './values.js'

export const DEFAULT_PORT = 4600
export const DEFAULT_INFERENCE_PORT = 4601
export const DEFAULT_SINK_PORT = 4610

const logFormats = ['pretty', 'json', 'silent'] as const
export type LogFormat = (typeof logFormats)[number]

/** A text that does not come from the command line, and the name that errors use for its source. */
export interface NamedText {
  named: string
  text: string
}

/** The group of the options that have no other group. */
const OPTIONS = 'Options:'

type Help = Pick<Options, 'describe' | 'group' | 'defaultDescription'>
type Declared<T> = Options & {
  coerce: (given: unknown) => T | undefined
  /** The kind of value, in words for the reference. Undefined for a flag. */
  takes?: string
}

/** Declares an option that has one value. */
export function option<T>(name: string, value: Value<T>, help: Help): Declared<T> {
  return {
    group: OPTIONS,
    ...help,
    ...(value.choices && { choices: value.choices }),
    type: 'string',
    takes: value.takes,
    coerce(given) {
      const [first, ...more] = textsOf(name, given)
      if (more.length > 0) throw new UsageError(`${first!.named} can be given only once.`)
      return readValue(first!.named, value, first!.text)
    },
  }
}

/** Declares an option whose value can be left out: `--coverage`, `--coverage=coverage.json`. */
export function optionalOption<T>(
  name: string,
  value: Value<T>,
  help: Help,
): Declared<{ readonly value: T | undefined }> {
  const { coerce, ...declared } = option(name, value, help)
  return {
    ...declared,
    takes: `nothing, or ${value.takes}`,
    coerce: (given) => ({ value: given === '' ? undefined : coerce(given) }),
  }
}

/** Declares an option that can be given several times. Environment variables separate the values by commas. */
export function listOption<T>(name: string, value: Value<T>, help: Help): Declared<T[]> {
  return {
    group: OPTIONS,
    ...help,
    ...(value.choices && { choices: value.choices }),
    type: 'string',
    array: true,
    requiresArg: true,
    takes: value.takes,
    coerce(given) {
      const texts = textsOf(name, given)
      if (texts.length === 0) texts.push({ named: `--${name}`, text: '' })
      return texts.map(({ named, text }) => readValue(named, value, text))
    },
  }
}

/** Declares an option that has several values, separated by commas. It can also be given several times. */
export function commaOption<T>(name: string, value: Value<T>, help: Help): Declared<T[]> {
  const { coerce, ...declared } = listOption(name, value, help)
  return {
    ...declared,
    coerce(given) {
      const texts = textsOf(name, given).flatMap(({ named, text }) => {
        return text.split(',').map((part) => ({ named, text: part.trim() }))
      })
      return coerce(texts)
    },
  }
}

/** Declares an option without a value: `--watch`, `--no-watch`. */
export function flag(help: Help): Declared<boolean> {
  return {
    group: OPTIONS,
    ...help,
    type: 'boolean',
    // Without it, yargs would read `--watch=yes` as `--no-watch`.
    nargs: 0,
    coerce(given) {
      if (typeof given === 'boolean') return given
      const { named, text } = given as NamedText
      return readValue(named, toggle, text)
    },
  }
}

/** An argument that has no name in front of it, as yargs declares it. */
type DeclaredArgument<T> = PositionalOptions & {
  type: 'string'
  coerce: (given: string) => T
  takes: string
}

/** Declares an argument that can be left out. Errors say that the command takes it. */
export function argument<T>(
  command: string,
  value: Value<T>,
  describe: string,
): DeclaredArgument<T> {
  const coerce = (given: string): T => readValue(command, value, given)
  const { choices, takes } = value
  return { describe, type: 'string', takes, ...(choices && { choices }), coerce }
}

/** Declares an argument that must be given. */
export function requiredArgument<T>(
  command: string,
  value: Value<T>,
  describe: string,
): DeclaredArgument<T> & { demandOption: true } {
  return { ...argument(command, value, describe), demandOption: true }
}

/** @throws {UsageError} When the option was negated, which only flags can be. */
function textsOf(name: string, given: unknown): NamedText[] {
  return [given as string | false | NamedText].flat().map((each) => {
    if (each === false) throw new UsageError(`Unknown option "--no-${name}".`)
    return typeof each === 'string' ? { named: `--${name}`, text: each } : each
  })
}

const PORTS = 'Ports:'
const SCENARIO = 'Scenario and time:'
const ACCESS = 'Access:'
const STORAGE = 'Storage:'
const WEBHOOKS = 'Webhooks:'
const OUTPUT = 'Output:'

/** The options of the emulator. Each can also be set by an environment variable. */
export const serveOptions = {
  scenario: option('scenario', anyText('a name or a file'), {
    group: SCENARIO,
    describe: 'A built-in scenario (see `scenarios list`), or a YAML, JSON or TypeScript file',
    defaultDescription: DEFAULT_SCENARIO,
  }),
  clock: option('clock', oneOf(clockModes), {
    group: SCENARIO,
    describe: 'How time passes',
    defaultDescription: "the scenario's, or real",
  }),
  speed: option('speed', speed, {
    group: SCENARIO,
    describe: 'Seconds of the scenario per second of real time',
    defaultDescription: "the scenario's, or 1",
  }),
  seed: option('seed', seed, {
    group: SCENARIO,
    describe: 'Seed of all generated ids, metrics and texts',
    defaultDescription: "the scenario's, or 1",
  }),
  'serve-any-model': flag({
    group: SCENARIO,
    describe: 'Answer chats with any model name, as a base model of that name',
  }),
  contract: contractOption({
    group: SCENARIO,
    describe: 'Version of the contract of the service',
  }),
  watch: flag({ group: SCENARIO, describe: 'Reload the scenario file when it changes' }),
  port: option('port', port, {
    group: PORTS,
    describe: 'Port of the training API; 0 picks a free port',
    defaultDescription: `${DEFAULT_PORT}, or the next free port`,
  }),
  'inference-port': option('inference-port', port, {
    group: PORTS,
    describe: 'Port of the inference API; 0 picks a free port',
    defaultDescription: `${DEFAULT_INFERENCE_PORT}, or the next free port`,
  }),
  host: option('host', address, {
    group: PORTS,
    describe: 'Address to bind; 127.0.0.1 includes ::1',
    defaultDescription: '127.0.0.1',
  }),
  'base-path': option('base-path', urlPath, {
    group: PORTS,
    describe: 'Path in front of /v1, such as /api/training',
  }),
  'allow-host': listOption('allow-host', hostName, {
    group: ACCESS,
    describe: 'Accept requests for this host name, besides localhost and IP addresses',
  }),
  cors: listOption('cors', origin, {
    group: ACCESS,
    describe: 'Accept requests from web pages of this origin, or * for all',
  }),
  'control-token': option('control-token', token, {
    group: ACCESS,
    describe: 'Token for calls of the control API that change something',
    defaultDescription: 'none on loopback, otherwise generated',
  }),
  'api-key': listOption('api-key', anyText('a key'), {
    group: ACCESS,
    describe: 'Accept this API key; without the option, every key is accepted',
  }),
  isolate: option('isolate', oneOf(['api-key']), {
    group: ACCESS,
    describe: 'Give each API key its own world',
  }),
  data: option('data', anyText('a folder'), {
    group: STORAGE,
    describe: 'Folder that keeps the state; the next start resumes from it',
  }),
  import: option('import', anyText('a file'), {
    group: STORAGE,
    describe: 'Snapshot to resume from',
  }),
  'export-on-exit': option('export-on-exit', anyText('a file'), {
    group: STORAGE,
    describe: 'Write a snapshot to this file when the emulator stops',
  }),
  'without-secrets': flag({
    group: STORAGE,
    describe: 'Leave API keys, secrets and deliveries out of the --export-on-exit file',
  }),
  'data-root': option('data-root', anyText('a folder'), {
    group: STORAGE,
    describe:
      'Folder for relative paths of SFT data; beyond loopback, only files inside it are read',
    defaultDescription: 'the working directory',
  }),
  webhook: listOption('webhook', webUrl, {
    group: WEBHOOKS,
    describe: 'Send every event of jobs and artifacts to this URL',
  }),
  'webhook-secret': option('webhook-secret', anyText('a secret'), {
    group: WEBHOOKS,
    describe: 'Secret that signs the deliveries to --webhook',
    defaultDescription: 'derived from the seed, and printed',
  }),
  sink: flag({
    group: WEBHOOKS,
    describe: 'Also start a webhook sink, which records what the emulator sends',
  }),
  'sink-port': option('sink-port', port, {
    group: WEBHOOKS,
    describe: 'Port of the webhook sink; 0 picks a free port',
    defaultDescription: `${DEFAULT_SINK_PORT}, or the next free port`,
  }),
  'ready-file': option('ready-file', anyText('a file'), {
    group: OUTPUT,
    describe: 'Write pid and URLs to this file as JSON when everything is ready',
  }),
  log: option('log', oneOf(logFormats), {
    group: OUTPUT,
    describe: 'Log for people, as one JSON object per line, or errors only',
    defaultDescription: 'pretty',
  }),
} as const

/** Declares the option for the contract of the service. */
export function contractOption(help: Help): Declared<ContractVersion> {
  return option('contract', contractVersion, { ...help, defaultDescription: NEWEST_CONTRACT })
}

/** The values of declared options. */
export type ValuesOf<O extends Readonly<Record<string, Declared<unknown>>>> = {
  [N in keyof O]: ReturnType<O[N]['coerce']>
}

export const json = flag({ describe: 'Print JSON' })

/** How a signature is written. */
export const signatureForm = {
  encoding: option('encoding', oneOf(['hex', 'base64']), {
    describe: 'Encoding of the signature',
    defaultDescription: 'hex',
  }),
  prefix: option('prefix', anyText('a prefix'), {
    describe: 'Text in front of the signature, such as sha256=',
    defaultDescription: 'none',
  }),
} as const

export const header = option('header', headerName, {
  describe: 'Header that holds the signature',
  defaultDescription: SIGNATURE_HEADER,
})

/** The options from the command line and the environment. Those that were not set are undefined. */
export interface Settings {
  /** If it is undefined, saved state brings its own scenario. */
  scenario: string | undefined
  port: number | undefined
  inferencePort: number | undefined
  host: string
  allowedHosts: readonly string[]
  corsOrigins: readonly string[]
  controlToken: string | undefined
  apiKeys: readonly string[]
  isolate: 'api-key' | undefined
  /** The contract of the service. Undefined: the newest. */
  contract: ContractVersion | undefined
  clock: (typeof clockModes)[number] | undefined
  speed: number | undefined
  seed: number | undefined
  serveAnyModel: boolean | undefined
  basePath: string | undefined
  dataRoot: string | undefined
  /** The folder that keeps the state. */
  data: string | undefined
  importFrom: string | undefined
  exportOnExit: string | undefined
  /** Whether the exported snapshot includes secrets. */
  exportSecrets: boolean
  webhooks: readonly WebhookReceiver[]
  sink: boolean
  sinkPort: number | undefined
  watch: boolean
  /** The file that exists while the emulator is ready. */
  readyFile: string | undefined
  log: LogFormat
}

/** @throws {UsageError} When an option is missing that another one needs. */
export function settingsFrom(values: ValuesOf<typeof serveOptions>): Settings {
  const { sink = false, webhook = [], 'webhook-secret': secret } = values
  const { 'sink-port': sinkPort, 'export-on-exit': exportOnExit } = values
  const withoutSecrets = values['without-secrets'] ?? false
  if (sinkPort !== undefined && !sink) {
    throw new UsageError('--sink-port needs --sink, which was not given.')
  }
  if (withoutSecrets && exportOnExit === undefined) {
    throw new UsageError('--without-secrets needs --export-on-exit, which was not given.')
  }
  if (secret !== undefined && webhook.length === 0) {
    throw new UsageError('--webhook-secret needs --webhook, which was not given.')
  }
  return {
    scenario: values.scenario,
    port: values.port,
    inferencePort: values['inference-port'],
    host: values.host ?? '127.0.0.1',
    allowedHosts: values['allow-host'] ?? [],
    corsOrigins: values.cors ?? [],
    controlToken: values['control-token'],
    apiKeys: values['api-key'] ?? [],
    isolate: values.isolate,
    contract: values.contract,
    clock: values.clock,
    speed: values.speed,
    seed: values.seed,
    serveAnyModel: values['serve-any-model'],
    basePath: values['base-path'],
    dataRoot: values['data-root'],
    data: values.data,
    importFrom: values.import,
    exportOnExit,
    exportSecrets: !withoutSecrets,
    webhooks: webhook.map((url) => ({ url, secret })),
    sink,
    sinkPort,
    watch: values.watch ?? false,
    readyFile: values['ready-file'],
    log: values.log ?? 'pretty',
  }
}
