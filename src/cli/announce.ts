import type { Listening } from '../emulator/adapters/listen.js'
import { NEWEST_CONTRACT } from '../service/contract/versions.js'
import { isLoopback } from '../base/text/near-address.js'
import { withoutCredentials } from '../base/text/redaction/credentials.js'
import { SDK_KEY } from '../base/text/vendor/sdk-variables.js'
import { CONTROL_ROOT } from '../emulator/control/control-path.js'
import type { Emulator } from '../emulator/emulator.js'
import { LOCAL_API_KEY } from '../emulator/local-key.js'
import { assignmentFor, banner, readyEntry, type BannerFacts } from './banner.js'
import { environmentFor } from './run/exec-environment.js'
import { portsOf } from './ports.js'
import type { Settings } from './options/settings.js'
import { printableJson, type Terminal } from './terminal.js'
import type { OpenWorldProxy } from '../emulator/intercept/world-proxies.js'
import { missingSecrets, missingText } from '../service/scenario/missing-secrets.js'
import { missingWebhooksText } from '../webhooks/sending/missing-webhooks.js'

interface Serving {
  emulator: Emulator
  settings: Settings
  listening: Listening
  /** The proxy for programs that name no address. */
  proxy?: OpenWorldProxy | undefined
  version: string
  /** Whether keys of the terminal work. */
  hasKeys: boolean
}

/** Prints a banner for people or an object for programs, depending on the log. A silent log prints nothing. */
export function announce(serving: Serving, terminal: Terminal): void {
  const { log } = serving.settings
  if (log === 'silent') return
  const started = startedFrom(serving)
  if (log === 'json') return terminal.write(printableJson(readyEntry(started)))
  const assign = assignmentFor(process.platform, process.env)
  terminal.write(banner(started, terminal, { assign, hasKeys: serving.hasKeys }))
}

/**
 * The content of `--ready-file`: the first line of `--log json`, the URL of the control API, and the variables
 * that `exec` would set. It has no key and no token that the user chose.
 */
export function readyFileEntry(serving: Omit<Serving, 'hasKeys'>): object {
  const { emulator, settings, proxy } = serving
  const started = startedFrom(serving)
  const {
    SVTRAIN_API_KEY: key,
    SVTRAIN_CONTROL_TOKEN: token,
    [SDK_KEY]: sdkKey,
    ...variables
  }: Readonly<Record<string, string>> = environmentFor(emulator, process.env, {
    intercepted: proxy?.variables,
  })
  return {
    ...readyEntry(started),
    controlUrl: variables['SVTRAIN_CONTROL_URL'],
    variables: {
      ...variables,
      ...(started.apiKey !== undefined && { SVTRAIN_API_KEY: key, [SDK_KEY]: sdkKey }),
      ...(settings.controlToken === undefined && { SVTRAIN_CONTROL_TOKEN: token }),
    },
  }
}

/** The address of the dashboard. Its page stands for the folder of the control API. */
export function dashboardUrlOf({ trainingUrl }: Pick<Emulator, 'trainingUrl'>): string {
  return new URL(`${CONTROL_ROOT}/`, trainingUrl).href
}

function startedFrom({
  emulator,
  settings,
  listening,
  proxy,
  version,
}: Omit<Serving, 'hasKeys'>): BannerFacts {
  const { trainingUrl, inferenceUrl, seed, contract, clock, scenario, continued } = emulator
  const { name, description } = scenario
  const { parts, missing } = emulator.webhooks
  const lacking = [missingText(missingSecrets(parts)), missingWebhooksText(missing)]
  return {
    version,
    pid: process.pid,
    trainingUrl,
    inferenceUrl,
    dashboardUrl: dashboardUrlOf(emulator),
    apiKey: scenario.auth.keys === undefined ? LOCAL_API_KEY : undefined,
    controlToken: settings.controlToken === undefined ? emulator.controlToken : undefined,
    scenario: { name, description },
    seed,
    contract: contract === NEWEST_CONTRACT ? undefined : contract,
    clock: { mode: clock.mode, speed: clock.speed },
    webhooks: emulator.receivers.map(({ url, secret, generated }) => {
      return { url: withoutCredentials(url), secret: generated ? secret : undefined }
    }),
    sinkUrl: emulator.sink?.url,
    proxyUrl: proxy?.url,
    certificates: proxy?.folder,
    proxyVariables: proxy && shownVariables(proxy),
    data: settings.data,
    takenUp: continued,
    config: settings.config,
    notes: [
      ...movedPorts(settings, { ...listening, sinkUrl: emulator.sink?.url }),
      ...warnings(settings, clock),
      ...(continued === undefined ? [] : lacking.filter((text) => text !== undefined)),
    ],
  }
}

/** The variables for clients of Python and Node. `POST /_emulator/proxies` has those of others. */
const SHOWN_OF_PROXY = [
  'NO_PROXY',
  'SSL_CERT_FILE',
  'REQUESTS_CA_BUNDLE',
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_ENV_PROXY',
]

/** A control token that the user chose is not shown. It is the password of the proxy in the variables of programs. */
function shownVariables({ url, variables }: OpenWorldProxy): Record<string, string> {
  const shown = SHOWN_OF_PROXY.map((name) => [name, variables[name]!])
  return { HTTPS_PROXY: url, ...Object.fromEntries(shown) }
}

type Ports = Pick<Listening, 'port' | 'inferencePort'> & { sinkUrl: string | undefined }

function movedPorts(settings: Settings, { port, inferencePort, sinkUrl }: Ports): string[] {
  const sinkPort = sinkUrl === undefined ? undefined : Number(new URL(sinkUrl).port)
  const now = { port, inferencePort, sinkPort }
  return portsOf(settings).flatMap(({ setting, name, port: usual, isChosen }) => {
    const { [setting]: found = usual } = now
    if (isChosen || found === usual) return []
    return `Port ${usual} is taken, so the ${name} is on ${found}.`
  })
}

function warnings(
  { host, proxy, speed, isolate }: Settings,
  clock: BannerFacts['clock'],
): string[] {
  const { mode, speed: rate } = clock
  const isOpen = !isLoopback(host)
  const notes = [
    isolate && 'Each API key has its own world.',
    isOpen && `Bound to ${host}: other machines can reach it.`,
    isOpen && proxy && 'The proxy asks other machines for the control token, as its password.',
    speed !== undefined && mode !== 'real' && `The speed has no effect: the clock is ${mode}.`,
    mode === 'real' &&
      rate !== 1 &&
      `All times are those of the clock, ${rate} times as fast as yours.`,
    mode === 'manual' &&
      `The clock is manual: nothing happens until you advance it, with POST ${CONTROL_ROOT}/clock/advance or the client.`,
  ]
  return notes.filter((note) => typeof note === 'string')
}
