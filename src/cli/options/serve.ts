import { clockModes } from '../../base/clock/clock.js'
import { NEWEST_CONTRACT } from '../../service/contract/versions.js'
import { MOST_JOBS } from '../../service/engine/jobs/old-jobs.js'
import { DEFAULT_SCENARIO } from '../../service/scenario/built-in-scenarios.js'
import {
  address,
  anyText,
  baseModel,
  contractVersion,
  count,
  hostName,
  oneOf,
  origin,
  port,
  seed,
  speed,
  token,
  urlPath,
  webUrl,
  webhookSecret,
} from '../values.js'
import { flag, listOption, option } from './declare.js'
import { allowHostOutOption, interceptOption } from './intercept.js'
import { scenarioNames } from './scenario.js'

export const DEFAULT_PORT = 4600
export const DEFAULT_INFERENCE_PORT = 4601
export const DEFAULT_SINK_PORT = 4610
export const DEFAULT_PROXY_PORT = 4602

export const logFormats = ['pretty', 'json', 'silent'] as const
export type LogFormat = (typeof logFormats)[number]

const PORTS = 'Ports:'
const SCENARIO = 'Scenario and time:'
const ACCESS = 'Access:'
const INTERCEPTION = 'Programs that name no address:'
const STORAGE = 'Storage:'
const WEBHOOKS = 'Webhooks:'
const OUTPUT = 'Output:'

/** The options of the emulator. Each can also be set by an environment variable. */
export const serveOptions = {
  scenario: option(anyText('a name or a file'), {
    group: SCENARIO,
    describe: 'Name of a built-in scenario, or a YAML, JSON or TypeScript file',
    suggested: scenarioNames,
    defaultDescription: DEFAULT_SCENARIO,
  }),
  clock: option(oneOf(clockModes), {
    group: SCENARIO,
    describe: 'How time passes',
    defaultDescription: "the scenario's, or real",
  }),
  speed: option(speed, {
    group: SCENARIO,
    describe: 'Seconds of the scenario per second of real time',
    defaultDescription: "the scenario's, or 1",
  }),
  seed: option(seed, {
    group: SCENARIO,
    describe: 'Seed of all generated ids, metrics and texts',
    defaultDescription: "the scenario's, or 1",
  }),
  'serve-any-model': flag({
    group: SCENARIO,
    describe: 'Answer chats with any model name, as a base model of that name',
  }),
  'base-model': listOption(baseModel, {
    group: SCENARIO,
    describe: 'Add a base model, with the folder of its tokenizer after =, if it has one',
  }),
  'base-models': option(oneOf(['documented']), {
    group: SCENARIO,
    describe: 'Add the base models of the documentation, with their context windows',
  }),
  contract: option(contractVersion, {
    group: SCENARIO,
    describe: 'Version of the contract of the service',
    defaultDescription: NEWEST_CONTRACT,
  }),
  watch: flag({ group: SCENARIO, describe: 'Reload the scenario file when it changes' }),
  port: option(port, {
    group: PORTS,
    describe: 'Port of the training API; 0 picks a free port',
    defaultDescription: `${DEFAULT_PORT}, or the next free port`,
  }),
  'inference-port': option(port, {
    group: PORTS,
    describe: 'Port of the inference API; 0 picks a free port',
    defaultDescription: `${DEFAULT_INFERENCE_PORT}, or the next free port`,
  }),
  host: option(address, {
    group: PORTS,
    describe: 'Address to bind; 127.0.0.1 includes ::1',
    defaultDescription: '127.0.0.1',
  }),
  'base-path': option(urlPath, {
    group: PORTS,
    describe: 'Path in front of /v1, such as /api/training',
  }),
  'allow-host': listOption(hostName, {
    group: ACCESS,
    describe: 'Accept requests for this host name, besides localhost and IP addresses',
  }),
  cors: listOption(origin, {
    group: ACCESS,
    describe: 'Accept requests from web pages of this origin, or * for all',
  }),
  'control-token': option(token, {
    group: ACCESS,
    isSecret: true,
    describe: 'Token for calls of the control API that change something',
    defaultDescription: 'none on loopback, otherwise generated',
  }),
  'api-key': listOption(anyText('a key'), {
    group: ACCESS,
    isSecret: true,
    describe: 'Accept this API key; without the option, every key is accepted',
  }),
  isolate: option(oneOf(['api-key']), {
    group: ACCESS,
    describe: 'Give each API key its own world',
  }),
  data: option(anyText('a folder'), {
    group: STORAGE,
    describe: 'Folder that keeps the state; the next start resumes from it',
  }),
  import: option(anyText('a file'), {
    group: STORAGE,
    describe: 'Snapshot to resume from',
  }),
  'export-on-exit': option(anyText('a file'), {
    group: STORAGE,
    describe: 'Write a snapshot to this file when the emulator stops',
    isOutput: true,
  }),
  'without-secrets': flag({
    group: STORAGE,
    describe: 'Leave API keys, secrets and deliveries out of the --export-on-exit file',
    isOutput: true,
  }),
  'keep-jobs': option(count(1_000_000), {
    group: STORAGE,
    describe: 'Keep this many jobs; the oldest that are over are forgotten first',
    defaultDescription: String(MOST_JOBS),
  }),
  'data-root': option(anyText('a folder'), {
    group: STORAGE,
    describe:
      'Folder for relative paths of SFT data; beyond loopback, only files inside it are read',
    defaultDescription: 'the working directory',
  }),
  webhook: listOption(webUrl, {
    group: WEBHOOKS,
    describe: 'Send every event of jobs and artifacts to this URL',
  }),
  'webhook-secret': option(webhookSecret, {
    group: WEBHOOKS,
    isSecret: true,
    describe: 'Secret that signs the deliveries to --webhook',
    defaultDescription: 'derived from the seed, and printed',
  }),
  sink: flag({
    group: WEBHOOKS,
    describe: 'Also start a webhook sink, which records what the emulator sends',
  }),
  'sink-port': option(port, {
    group: WEBHOOKS,
    describe: 'Port of the webhook sink; 0 picks a free port',
    defaultDescription: `${DEFAULT_SINK_PORT}, or the next free port`,
  }),
  'ready-file': option(anyText('a file'), {
    group: OUTPUT,
    describe: 'Write pid and URLs to this file as JSON when everything is ready',
    isOutput: true,
  }),
  log: option(oneOf(logFormats), {
    group: OUTPUT,
    describe: 'Log for people, as one JSON object per line, or errors only',
    isOutput: true,
    defaultDescription: 'pretty',
  }),
} as const

/** The options of the command without a name, which serves the emulator. */
export const servedOptions = {
  ...serveOptions,
  intercept: interceptOption({
    group: INTERCEPTION,
    describe: 'Also open a proxy that answers the real hosts of the service',
  }),
  'allow-host-out': allowHostOutOption({
    group: INTERCEPTION,
    describe: 'With --intercept, let programs call this host as well',
  }),
  'intercept-port': option(port, {
    group: INTERCEPTION,
    describe: 'Port of the proxy; 0 picks a free port',
    defaultDescription: `${DEFAULT_PROXY_PORT}, or the next free port`,
  }),
  certificates: option(anyText('a folder'), {
    group: INTERCEPTION,
    describe: 'With --intercept, write the certificates that programs trust to this folder',
    defaultDescription: 'a temporary folder',
  }),
} as const

/** Options of the start for a command whose help has no groups. */
export function inNoGroup<const N extends keyof typeof serveOptions>(
  ...names: readonly N[]
): Pick<typeof serveOptions, N> {
  return Object.fromEntries(
    names.map((name) => [name, { ...serveOptions[name], group: undefined }]),
  ) as Pick<typeof serveOptions, N>
}
