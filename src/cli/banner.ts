import { type Paint, printable } from './terminal.js'

/** What a user now has. */
export interface Started {
  version: string
  /** For whoever started it in the background and wants to stop it. */
  pid: number
  trainingUrl: string
  inferenceUrl: string
  /** A page for people. */
  dashboardUrl: string
  /** The key to use; undefined where the user brought keys, which are not ours to print. */
  apiKey: string | undefined
  /** What the control API asks for, where it was made up. */
  controlToken: string | undefined
  scenario: { name: string; description: string }
  seed: number
  clock: { mode: string; speed: number }
  /** Where deliveries go. The secret where we made it; one that was given is not ours to print. */
  webhooks: readonly { url: string; secret: string | undefined }[]
  /** Where the webhook sink receives, where there is one. */
  sinkUrl: string | undefined
  /** The folder in which it is kept. */
  data?: string | undefined
  /** What was there before, in words. */
  takenUp?: string | undefined
  notes: readonly string[]
}

/** A line of a shell that sets an environment variable. */
export type Assignment = (name: string, value: string) => string

const posix: Assignment = (name, value) => `export ${name}=${value}`
const powerShell: Assignment = (name, value) => `$env:${name} = "${value}"`

/**
 * The assignment of the user's shell: PowerShell on Windows, unless `SHELL` is set, as shells like Git
 * Bash set it there.
 */
export function assignmentFor(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): Assignment {
  return platform === 'win32' && !environment.SHELL ? powerShell : posix
}

/** For people. */
export function banner(started: Started, paint: Paint, assign: Assignment = posix): string {
  const {
    version,
    trainingUrl,
    inferenceUrl,
    dashboardUrl,
    apiKey,
    controlToken,
    scenario,
    seed,
    clock,
    sinkUrl,
    notes,
  } = started
  const description = scenario.description && `: ${printable(scenario.description)}`
  const rows: [string, string][] = [
    ['Training API', paint('cyan', trainingUrl)],
    ['Inference API', paint('cyan', inferenceUrl)],
    ['Dashboard', paint('cyan', dashboardUrl)],
    ['API key', apiKey === undefined ? 'one of those that you set' : `${apiKey} (any key works)`],
    ...(controlToken === undefined ? [] : [['Control token', controlToken] as [string, string]]),
    ['Scenario', `${paint('bold', printable(scenario.name))}${description}`],
    ['Seed', String(seed)],
    ['Clock', clock.mode === 'real' ? `real, speed ${clock.speed}` : clock.mode],
    ...(sinkUrl === undefined
      ? []
      : [['Webhook sink', paint('cyan', sinkUrl)] as [string, string]]),
    ...keeping(started),
    ...started.webhooks.map(({ url, secret }): [string, string] => {
      const signed = secret === undefined ? '' : `, signed with ${secret}`
      return ['Webhooks to', `${paint('cyan', printable(url))}${signed}`]
    }),
  ]
  const exported = [
    assign('SVTRAIN_BASE_URL', trainingUrl),
    assign('SVTRAIN_INFERENCE_URL', inferenceUrl),
    ...(apiKey === undefined ? [] : [assign('SVTRAIN_API_KEY', apiKey)]),
    ...(sinkUrl === undefined ? [] : [assign('SVTRAIN_SINK_URL', sinkUrl)]),
  ]
  return [
    paint('bold', `svtrain-emulator ${version}`),
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(14)} ${value}`),
    '',
    ...exported.map((line) => `  ${line}`),
    '',
    ...notes.map((note) => paint('yellow', note)),
    'Ready. Stop with Ctrl-C.',
    '',
  ].join('\n')
}

function keeping({ data, takenUp }: Started): [string, string][] {
  const rows: [string, string][] = []
  if (data !== undefined) rows.push(['Kept in', printable(data)])
  if (takenUp !== undefined) rows.push(['Taken up', printable(takenUp)])
  return rows
}

/** For programs: the first line of `--log json`. */
export function readyEntry({ scenario, clock, ...started }: Started): unknown {
  const { mode, speed } = clock
  return { kind: 'ready', ...started, scenario: scenario.name, clock: mode, speed }
}
