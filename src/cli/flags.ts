import { DEFAULT_SCENARIO, builtInScenarios } from '../built-in-scenarios.js'
import { clockModes } from '../world/clock.js'

/** A flag as data: yargs, the environment and the README all read this table. */
export interface Flag {
  describe: string
  type: 'string' | 'number' | 'boolean'
  /** May be given several times; in the environment, separated by commas. */
  list?: true
  choices?: readonly string[]
  /** Shown in the help; where it applies, the default is set by whoever uses the flag. */
  placeholder?: string
  defaultText?: string
}

export const DEFAULT_PORT = 4600
export const DEFAULT_INFERENCE_PORT = 4601

export const logFormats = ['pretty', 'json', 'silent'] as const
export type LogFormat = (typeof logFormats)[number]

const names = builtInScenarios.map(({ name }) => name).join(', ')

export const flags = {
  scenario: {
    type: 'string',
    describe: `What happens: ${names}, or a YAML or JSON file`,
    defaultText: DEFAULT_SCENARIO,
  },
  port: {
    type: 'number',
    describe: 'Port of the training API; 0 takes any free one',
    defaultText: `${DEFAULT_PORT}, or the next free one`,
  },
  'inference-port': {
    type: 'number',
    describe: 'Port of the inference API; 0 takes any free one',
    defaultText: `${DEFAULT_INFERENCE_PORT}, or the next free one`,
  },
  host: { type: 'string', describe: 'Address to bind', defaultText: '127.0.0.1' },
  'allow-host': {
    type: 'string',
    list: true,
    describe: 'A host name under which it may be called, besides localhost and addresses',
  },
  cors: {
    type: 'string',
    list: true,
    describe: 'An origin whose web pages may call it; * for all',
  },
  'api-key': {
    type: 'string',
    list: true,
    describe: 'A key to accept; without any, every key is accepted',
  },
  clock: {
    type: 'string',
    choices: clockModes,
    describe: 'How time passes',
    defaultText: 'real',
  },
  speed: {
    type: 'number',
    describe: 'Seconds of the scenario per second of real time',
    defaultText: '1',
  },
  seed: {
    type: 'number',
    describe: 'What all ids, metrics and words are drawn from',
    defaultText: "the scenario's, or 1",
  },
  'base-path': { type: 'string', describe: 'A path before /v1, such as /api/training' },
  'data-root': {
    type: 'string',
    describe: 'Where relative paths of SFT data start',
    defaultText: 'the working directory',
  },
  watch: { type: 'boolean', describe: 'Follow the scenario file when it changes' },
  log: {
    type: 'string',
    choices: logFormats,
    describe: 'How requests are logged',
    defaultText: 'pretty',
  },
} as const satisfies Record<string, Flag>

export type FlagName = keyof typeof flags

/** What the command line and the environment came to. Left-out flags are undefined. */
export interface Settings {
  scenario: string
  port: number | undefined
  inferencePort: number | undefined
  host: string
  allowedHosts: readonly string[]
  corsOrigins: readonly string[]
  apiKeys: readonly string[]
  clock: (typeof clockModes)[number] | undefined
  speed: number | undefined
  seed: number | undefined
  basePath: string | undefined
  dataRoot: string | undefined
  watch: boolean
  log: LogFormat
}

/** The variable that sets a flag: `SVTRAIN_EMULATOR_INFERENCE_PORT`. */
export function variableOf(flag: string): string {
  return `${VARIABLE_PREFIX}${flag.toUpperCase().replaceAll('-', '_')}`
}

/** Not the plain `SVTRAIN_`, which clients read: pasting their exports must change no later start. */
export const VARIABLE_PREFIX = 'SVTRAIN_EMULATOR_'
