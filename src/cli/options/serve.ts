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
import { flag, listOption, option, type DeclaredOptions } from './declare.js'
import { allowHostOutOption, interceptOption } from './intercept.js'
import { scenarioNames } from './scenario.js'

export const DEFAULT_PORT = 4600
/** Where an emulator is that was started without options. */
export const DEFAULT_URL = `http://127.0.0.1:${DEFAULT_PORT}`
export const DEFAULT_INFERENCE_PORT = 4601
export const DEFAULT_SINK_PORT = 4610
export const DEFAULT_PROXY_PORT = 4602

export const logFormats = ['pretty', 'json', 'silent'] as const
export type LogFormat = (typeof logFormats)[number]

/** Options below one heading of the help. */
function inGroup<const O extends DeclaredOptions>(group: string, options: O): O {
  const entries = Object.entries(options).map(([name, each]) => [name, { ...each, group }])
  return Object.fromEntries(entries) as O
}

/** The options of the emulator. Each can also be set by an environment variable. */
export const serveOptions = {
  ...inGroup('Scenario and time:', {
    scenario: option(anyText('a name or a file'), {
      describe: 'Name of a built-in scenario, or a YAML, JSON or TypeScript file',
      suggested: scenarioNames,
      defaultDescription: DEFAULT_SCENARIO,
    }),
    clock: option(oneOf(clockModes), {
      describe: 'How time passes',
      defaultDescription: "the scenario's, or real",
    }),
    speed: option(speed, {
      describe: 'Seconds of the scenario per second of real time',
      defaultDescription: "the scenario's, or 1",
    }),
    seed: option(seed, {
      describe: 'Seed of all generated ids, metrics and texts',
      defaultDescription: "the scenario's, or 1",
    }),
    'serve-any-model': flag({
      describe: 'Answer chats with any model name, as a base model of that name',
    }),
    'base-model': listOption(baseModel, {
      describe: 'Add a base model, with the folder of its tokenizer after =, if it has one',
    }),
    'base-models': option(oneOf(['documented']), {
      describe: 'Add the base models of the documentation, with their context windows',
    }),
    contract: option(contractVersion, {
      describe: 'Version of the contract of the service',
      defaultDescription: NEWEST_CONTRACT,
    }),
    watch: flag({ describe: 'Reload the scenario file when it changes' }),
  }),
  ...inGroup('Ports:', {
    port: option(port, {
      describe: 'Port of the training API; 0 picks a free port',
      defaultDescription: `${DEFAULT_PORT}, or the next free port`,
    }),
    'inference-port': option(port, {
      describe: 'Port of the inference API; 0 picks a free port',
      defaultDescription: `${DEFAULT_INFERENCE_PORT}, or the next free port`,
    }),
    host: option(address, {
      describe: 'Address to bind; 127.0.0.1 includes ::1',
      defaultDescription: '127.0.0.1',
    }),
    'base-path': option(urlPath, {
      describe: 'Path in front of /v1, such as /api/training',
    }),
  }),
  ...inGroup('Access:', {
    'allow-host': listOption(hostName, {
      describe: 'Accept requests for this host name, besides localhost and IP addresses',
    }),
    cors: listOption(origin, {
      describe: 'Accept requests from web pages of this origin, or * for all',
    }),
    'control-token': option(token, {
      isSecret: true,
      describe: 'Token for calls of the control API that change something',
      defaultDescription: 'none on loopback, otherwise generated',
    }),
    'api-key': listOption(anyText('a key'), {
      isSecret: true,
      describe: 'Accept this API key; without the option, every key is accepted',
    }),
    isolate: option(oneOf(['api-key']), {
      describe: 'Give each API key its own world',
    }),
  }),
  ...inGroup('Storage:', {
    data: option(anyText('a folder'), {
      describe: 'Folder that keeps the state; the next start resumes from it',
    }),
    import: option(anyText('a file'), {
      describe: 'Snapshot to resume from',
    }),
    'export-on-exit': option(anyText('a file'), {
      describe: 'Write a snapshot to this file when the emulator stops',
      isOutput: true,
    }),
    'without-secrets': flag({
      describe: 'Leave API keys, secrets and deliveries out of the --export-on-exit file',
      isOutput: true,
    }),
    'keep-jobs': option(count(1_000_000), {
      describe: 'Keep this many jobs; the oldest that are over are forgotten first',
      defaultDescription: String(MOST_JOBS),
    }),
    'data-root': option(anyText('a folder'), {
      describe:
        'Folder for relative paths of SFT data; beyond loopback, only files inside it are read',
      defaultDescription: 'the working directory',
    }),
  }),
  ...inGroup('Webhooks:', {
    webhook: listOption(webUrl, {
      describe: 'Send every event of jobs and artifacts to this URL',
    }),
    'webhook-secret': option(webhookSecret, {
      isSecret: true,
      describe: 'Secret that signs the deliveries to --webhook',
      defaultDescription: 'derived from the seed, and printed',
    }),
    sink: flag({
      describe: 'Also start a webhook sink, which records what the emulator sends',
    }),
    'sink-port': option(port, {
      describe: 'Port of the webhook sink; 0 picks a free port',
      defaultDescription: `${DEFAULT_SINK_PORT}, or the next free port`,
    }),
  }),
  ...inGroup('Output:', {
    'ready-file': option(anyText('a file'), {
      describe: 'Write pid and URLs to this file as JSON when everything is ready',
      isOutput: true,
    }),
    log: option(oneOf(logFormats), {
      describe: 'Log for people, as one JSON object per line, or errors only',
      isOutput: true,
      defaultDescription: 'pretty',
    }),
  }),
} as const

/** The options of the command without a name, which serves the emulator. */
export const servedOptions = {
  ...serveOptions,
  ...inGroup('Programs that name no address:', {
    intercept: interceptOption({
      describe: 'Also open a proxy that answers the real hosts of the service',
    }),
    'allow-host-out': allowHostOutOption({
      describe: 'With --intercept, let programs call this host as well',
    }),
    'intercept-port': option(port, {
      describe: 'Port of the proxy; 0 picks a free port',
      defaultDescription: `${DEFAULT_PROXY_PORT}, or the next free port`,
    }),
    certificates: option(anyText('a folder'), {
      describe: 'With --intercept, write the certificates that programs trust to this folder',
      defaultDescription: 'a temporary folder',
    }),
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
