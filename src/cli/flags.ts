import { DEFAULT_SCENARIO } from '../scenario/built-in-scenarios.js'
import type { WebhookReceiver } from '../webhooks/receivers.js'
import { clockModes } from '../clock/clock.js'
import {
  address,
  anyText,
  hostName,
  oneOf,
  origin,
  port,
  seed,
  speed,
  toggle,
  token,
  urlPath,
  webUrl,
  type Value,
} from './values.js'

/** A flag as data: the command line, its help and the environment all read this table. */
export interface Flag {
  describe: string
  value: Value<unknown>
  /** May be given several times; in the environment, separated by commas. */
  list?: true
  /** Shown in the help; where it applies, the default is set by whoever uses the flag. */
  defaultText?: string
}

export const DEFAULT_PORT = 4600
export const DEFAULT_INFERENCE_PORT = 4601
export const DEFAULT_SINK_PORT = 4610

const logFormats = ['pretty', 'json', 'silent'] as const
export type LogFormat = (typeof logFormats)[number]

export const flags = {
  scenario: {
    describe: 'What happens: a name of `scenarios list`, or a YAML, JSON or TypeScript file',
    value: anyText('a name or a file'),
    defaultText: DEFAULT_SCENARIO,
  },
  port: {
    describe: 'Port of the training API; 0 takes any free one',
    value: port,
    defaultText: `${DEFAULT_PORT}, or the next free one`,
  },
  'inference-port': {
    describe: 'Port of the inference API; 0 takes any free one',
    value: port,
    defaultText: `${DEFAULT_INFERENCE_PORT}, or the next free one`,
  },
  host: {
    describe: 'Address to bind; 127.0.0.1 stands for ::1 as well',
    value: address,
    defaultText: '127.0.0.1',
  },
  'allow-host': {
    describe: 'A host name under which it may be called, besides localhost and IP addresses',
    value: hostName,
    list: true,
  },
  cors: {
    describe: 'An origin whose web pages may call it, or * for all',
    value: origin,
    list: true,
  },
  'control-token': {
    describe: 'What the control API asks of calls that change something',
    value: token,
    defaultText: 'none on loopback, else one that is made up',
  },
  'api-key': {
    describe: 'A key to accept; without any, every key is accepted',
    value: anyText('a key'),
    list: true,
  },
  isolate: {
    describe: 'Give each API key a world of its own: api-key',
    value: oneOf(['api-key']),
  },
  clock: {
    describe: `How time passes: ${clockModes.join(', ')}`,
    value: oneOf(clockModes),
    defaultText: "the scenario's, or real",
  },
  speed: {
    describe: 'Seconds of the scenario per second of real time',
    value: speed,
    defaultText: "the scenario's, or 1",
  },
  seed: {
    describe: 'What all ids, metrics and words are drawn from',
    value: seed,
    defaultText: "the scenario's, or 1",
  },
  'base-path': {
    describe: 'A path that stands before /v1, such as /api/training',
    value: urlPath,
  },
  'data-root': {
    describe: 'Where relative paths of SFT data start; beyond loopback, no other files are read',
    value: anyText('a folder'),
    defaultText: 'the working directory',
  },
  data: {
    describe: 'Where all of it is kept, and goes on at the next start',
    value: anyText('a folder'),
  },
  import: { describe: 'A snapshot to go on with', value: anyText('a file') },
  'export-on-exit': {
    describe: 'Where a snapshot is written to when it is stopped',
    value: anyText('a file'),
  },
  'without-secrets': {
    describe: 'Leave API keys, secrets and deliveries out of what --export-on-exit writes',
    value: toggle,
  },
  webhook: {
    describe: 'Where a webhook is sent to with every event of jobs and artifacts',
    value: webUrl,
    list: true,
  },
  'webhook-secret': {
    describe: 'What deliveries are signed with',
    value: anyText('a secret'),
    defaultText: 'drawn from the seed, and printed',
  },
  sink: {
    describe: 'Start a webhook sink, too: a receiver that records what the emulator sends',
    value: toggle,
  },
  'sink-port': {
    describe: 'Port of the webhook sink; 0 takes any free one',
    value: port,
    defaultText: `${DEFAULT_SINK_PORT}, or the next free one`,
  },
  watch: { describe: 'Follow the scenario file when it changes', value: toggle },
  log: {
    describe:
      'What is printed: pretty, json (a line for each entry) or silent (nothing but errors)',
    value: oneOf(logFormats),
    defaultText: 'pretty',
  },
} as const satisfies Record<string, Flag>

export type FlagName = keyof typeof flags
export const flagNames = Object.keys(flags) as readonly FlagName[]

/** What the command line and the environment came to. Left-out flags are undefined. */
export interface Settings {
  /** Undefined where what was kept goes on with its own. */
  scenario: string | undefined
  port: number | undefined
  inferencePort: number | undefined
  host: string
  allowedHosts: readonly string[]
  corsOrigins: readonly string[]
  controlToken: string | undefined
  apiKeys: readonly string[]
  isolate: 'api-key' | undefined
  clock: (typeof clockModes)[number] | undefined
  speed: number | undefined
  seed: number | undefined
  basePath: string | undefined
  dataRoot: string | undefined
  /** Where the world is kept. */
  data: string | undefined
  importFrom: string | undefined
  exportOnExit: string | undefined
  /** Whether secrets are in what is exported. */
  exportSecrets: boolean
  webhooks: readonly WebhookReceiver[]
  sink: boolean
  sinkPort: number | undefined
  watch: boolean
  log: LogFormat
}
