import type { clockModes } from '../../base/clock/clock.js'
import type { ContractVersion } from '../../service/contract/versions.js'
import type { WebhookReceiver } from '../../webhooks/sending/receivers.js'
import type { BaseModelOptions } from '../../emulator/tokenizers.js'
import { UsageError } from '../usage-error.js'
import type { ValuesOf } from './declare.js'
import type { LogFormat, servedOptions, serveOptions } from './serve.js'

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
  keepJobs: number | undefined
  /** The contract of the service. Undefined: the newest. */
  contract: ContractVersion | undefined
  clock: (typeof clockModes)[number] | undefined
  speed: number | undefined
  seed: number | undefined
  serveAnyModel: boolean | undefined
  baseModels: readonly BaseModelOptions[]
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
  /** The proxy for programs that name no address. */
  proxy?: ProxySettings | undefined
}

/** The options of a proxy that answers the real hosts. */
export interface ProxySettings {
  /** Addresses of APIs. Empty: those of the documented service. */
  addresses: readonly string[]
  /** Other hosts that programs may call. */
  allowed: readonly string[]
  port: number | undefined
  /** The folder for the certificates. */
  folder: string | undefined
}

/**
 * The settings of the command without a name.
 *
 * @throws {UsageError} When an option is missing that another one needs.
 */
export function servedSettings(values: ValuesOf<typeof servedOptions>): Settings {
  const { intercept: addresses, 'allow-host-out': allowed, certificates: folder } = values
  const settings = settingsFrom(values)
  if (addresses) {
    const proxy = { addresses, allowed: allowed ?? [], port: values['intercept-port'], folder }
    return { ...settings, proxy }
  }
  for (const name of ['allow-host-out', 'intercept-port', 'certificates'] as const) {
    if (values[name] === undefined) continue
    throw new UsageError(`--${name} needs --intercept, which was not given.`)
  }
  return settings
}

/** @throws {UsageError} When an option is missing that another one needs. */
export function settingsFrom(
  values: ValuesOf<typeof serveOptions> & { readonly intercept?: readonly string[] | undefined },
): Settings {
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
    keepJobs: values['keep-jobs'],
    contract: values.contract,
    clock: values.clock,
    speed: values.speed,
    seed: values.seed,
    // A program that names the real hosts names the models that are there.
    serveAnyModel: values['serve-any-model'] ?? (values.intercept ? true : undefined),
    baseModels: values['base-model'] ?? [],
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
