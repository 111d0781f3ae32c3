import { DOCUMENTED_BASE_MODELS } from '../../base/text/vendor/base-models.js'
import type { WebhookReceiver } from '../../webhooks/sending/webhook-receiver.js'
import { UsageError } from '../usage-error.js'
import type { ConfigFile } from '../config-file.js'
import type { ValuesOf } from './declare.js'
import type { servedOptions, serveOptions } from './serve.js'

/** The options from the command line and the environment. Those that were not set are undefined. */
export interface Settings extends ReturnType<typeof withDefaults> {
  /** The proxy for programs that name no address. */
  proxy?: ProxySettings | undefined
  /** The name of the file of the project that sets options. */
  config?: string | undefined
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
 * @param config The file of the project.
 * @throws {UsageError} When an option is missing that another one needs.
 */
export function servedSettings(
  values: ValuesOf<typeof servedOptions>,
  { name: config }: Pick<ConfigFile, 'name'>,
): Settings {
  const { intercept: addresses, 'allow-host-out': allowed, certificates: folder } = values
  const settings = { ...settingsFrom(values), config }
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

/** A command may declare only some of the options. */
type ServeValues = Partial<ValuesOf<typeof serveOptions>> & {
  readonly intercept?: readonly string[] | undefined
}

/** @throws {UsageError} When an option is missing that another one needs. */
export function settingsFrom(values: ServeValues): Settings {
  const { sink = false, webhook = [], 'without-secrets': withoutSecrets = false } = values
  if (values['sink-port'] !== undefined && !sink) {
    throw new UsageError('--sink-port needs --sink, which was not given.')
  }
  if (withoutSecrets && values['export-on-exit'] === undefined) {
    throw new UsageError('--without-secrets needs --export-on-exit, which was not given.')
  }
  if (values['webhook-secret'] !== undefined && webhook.length === 0) {
    throw new UsageError('--webhook-secret needs --webhook, which was not given.')
  }
  return withDefaults(values)
}

function withDefaults(values: ServeValues) {
  const { webhook = [], 'webhook-secret': secret } = values
  const webhooks: readonly WebhookReceiver[] = webhook.map((url) => ({ url, secret }))
  return {
    /** If it is undefined, saved state brings its own scenario. */
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
    /** The contract of the service. Undefined: the newest. */
    contract: values.contract,
    clock: values.clock,
    speed: values.speed,
    seed: values.seed,
    // A program that names the real hosts names the models that are there.
    serveAnyModel: values['serve-any-model'] ?? (values.intercept ? true : undefined),
    baseModels: [
      ...(values['base-models'] === undefined ? [] : DOCUMENTED_BASE_MODELS),
      ...(values['base-model'] ?? []),
    ],
    basePath: values['base-path'],
    dataRoot: values['data-root'],
    /** The folder that keeps the state. */
    data: values.data,
    importFrom: values.import,
    exportOnExit: values['export-on-exit'],
    /** Whether the exported snapshot includes secrets. */
    exportSecrets: !values['without-secrets'],
    webhooks,
    sink: values.sink ?? false,
    sinkPort: values['sink-port'],
    watch: values.watch ?? false,
    /** The file that exists while the emulator is ready. */
    readyFile: values['ready-file'],
    log: values.log ?? 'pretty',
  }
}
