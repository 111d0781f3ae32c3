import { NEWEST_CONTRACT, type ContractVersion } from '../service/contract/versions.js'
import { withDescription } from '../base/text/with-description.js'
import { shellWord } from './shell-word.js'
import { type Output, printable } from './terminal.js'
import { widthOf, wrapped } from './text-width.js'

const VALUE_COLUMN = 17

/** What the banner says about the emulator that was started. */
export interface BannerFacts {
  version: string
  /** For scripts that stop the process later. */
  pid: number
  trainingUrl: string
  inferenceUrl: string
  dashboardUrl: string
  /** The key to use. Undefined if the user configured keys, which must not be printed. */
  apiKey: string | undefined
  /** The control token, if it was generated. */
  controlToken: string | undefined
  scenario: { name: string; description: string }
  seed: number
  /** The contract, if it is not the newest. */
  contract?: ContractVersion | undefined
  clock: { mode: string; speed: number }
  /** Where deliveries go. A secret of the user's must not be printed, so only generated ones are here. */
  webhooks: readonly { url: string; secret: string | undefined }[]
  /** The URL of the webhook sink, if it was started. */
  sinkUrl: string | undefined
  /** The proxy for programs that name no address, and the folder with its certificates. */
  proxyUrl?: string | undefined
  certificates?: string | undefined
  /** The variables that lead a program through the proxy. */
  proxyVariables?: Readonly<Record<string, string>> | undefined
  /** The folder that keeps the state. */
  data?: string | undefined
  /** Describes the state that it resumed from. */
  takenUp?: string | undefined
  /** The file of the project that sets options. */
  config?: string | undefined
  notes: readonly string[]
}

/** Returns a line of shell code that sets an environment variable. */
export type Assignment = (name: string, value: string) => string

const posix: Assignment = (name, value) => `export ${name}=${shellWord(value)}`
const powerShell: Assignment = (name, value) => {
  return `$env:${name} = "${value.replaceAll(/["$`]/g, '`$&')}"`
}

/**
 * Chooses the syntax of the user's shell: PowerShell on Windows, unless `SHELL` is set, as Git Bash and
 * similar shells do.
 */
export function assignmentFor(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): Assignment {
  return platform === 'win32' && !environment.SHELL ? powerShell : posix
}

interface BannerOptions {
  assign?: Assignment
  /** Whether keys of the terminal work. */
  hasKeys?: boolean
}

/** The banner for people. */
export function banner(
  started: BannerFacts,
  { paint, columns }: Pick<Output, 'paint' | 'columns'>,
  { assign = posix, hasKeys = false }: BannerOptions = {},
): string {
  const { version, trainingUrl, inferenceUrl, apiKey, sinkUrl, notes } = started
  const exported = [
    assign('SVTRAIN_BASE_URL', trainingUrl),
    assign('SVTRAIN_INFERENCE_URL', inferenceUrl),
    ...(apiKey === undefined ? [] : [assign('SVTRAIN_API_KEY', apiKey)]),
    ...(sinkUrl === undefined ? [] : [assign('SVTRAIN_SINK_URL', sinkUrl)]),
    ...Object.entries(started.proxyVariables ?? {}).map(([name, value]) => assign(name, value)),
  ]
  return [
    paint('bold', `svtrain-emulator ${version}`),
    '',
    ...rowsOf(started, paint).flatMap((row) => rowLines(row, columns?.())),
    '',
    'Set these variables for your client:',
    ...exported.map((line) => `  ${line}`),
    '',
    ...nextStep(started, assign),
    ...notes.flatMap((note) => wrapped(note, columns?.(), 0)).map((line) => paint('yellow', line)),
    hasKeys ? 'Ready. Stop with q or Ctrl-C. ? shows more keys.' : 'Ready. Stop with Ctrl-C.',
    '',
  ].join('\n')
}

/** What was started, as names and values. */
function rowsOf(started: BannerFacts, paint: Output['paint']): [string, string][] {
  const { name, description } = started.scenario
  const { apiKey, contract, clock, sinkUrl, proxyUrl, certificates, data } = started
  const rows: [string, string | undefined][] = [
    ['Training API', paint('cyan', started.trainingUrl)],
    ['Inference API', paint('cyan', started.inferenceUrl)],
    ['Dashboard', paint('cyan', started.dashboardUrl)],
    ['API key', apiKey === undefined ? 'one of the configured keys' : `${apiKey} (any key works)`],
    ['Control token', started.controlToken],
    ['Scenario', withDescription(paint('bold', printable(name)), printable(description))],
    ['Seed', String(started.seed)],
    ['Contract', contract && `${contract} (the newest is ${NEWEST_CONTRACT})`],
    ['Clock', clock.mode === 'real' ? `real, speed ${clock.speed}` : clock.mode],
    ['Webhook sink', sinkUrl && paint('cyan', sinkUrl)],
    ['Proxy', proxyUrl && `${paint('cyan', proxyUrl)} answers the real hosts`],
    ['Certificates', certificates && printable(certificates)],
    ['State kept in', data && printable(data)],
    ['Resumed', started.takenUp && printable(started.takenUp)],
    ['Options from', started.config],
    ...started.webhooks.map(({ url, secret }): [string, string] => {
      const signed = secret === undefined ? '' : `, signed with ${secret}`
      return ['Webhooks to', `${paint('cyan', printable(url))}${signed}`]
    }),
  ]
  return rows.filter((row): row is [string, string] => row[1] !== undefined)
}

/** A name and a value. In a narrow terminal, a value that must stay whole, such as a key, is below its name. */
function rowLines([name, value]: readonly [string, string], columns: number | undefined): string[] {
  const longest = Math.max(...value.split(' ').map(widthOf))
  if (columns === undefined || VALUE_COLUMN + longest <= columns) {
    return wrapped(`  ${name.padEnd(VALUE_COLUMN - 3)} ${value}`, columns, VALUE_COLUMN)
  }
  return [`  ${name}`, ...wrapped(`    ${value}`, columns, 4)]
}

/** The first call to make. In a world that was saved, people know what to do. */
function nextStep(
  { dashboardUrl, controlToken, takenUp }: BannerFacts,
  assign: Assignment,
): string[] {
  if (controlToken !== undefined || takenUp !== undefined) return []
  // In PowerShell, `curl` is another program.
  const curl = assign === powerShell ? 'curl.exe' : 'curl'
  return [
    'Next, create a first job, and watch it here or in the dashboard:',
    `  ${curl} -d '{}' ${new URL('jobs', dashboardUrl).href}`,
    '',
  ]
}

/** The first line of `--log json`. */
export function readyEntry({ scenario, clock, ...started }: BannerFacts): object {
  const { mode, speed } = clock
  return { kind: 'ready', ...started, scenario: scenario.name, clock: mode, speed }
}
