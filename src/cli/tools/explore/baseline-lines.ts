import { counted } from '../../../base/text/counted.js'
import { CHAT_KEY, WITHOUT_CHAT_KEY } from '../../../base/text/vendor/sdk-variables.js'
import type { ExploreReport } from '../../../tools/explore/exploration.js'
import type { ArgumentsOf } from '../../command.js'
import type { Context } from '../../context.js'
import { printable, printableLines } from '../../terminal.js'
import type { explore } from './command.js'
import type { CommandRunner } from './command-runner.js'
import type { Evidence } from './ended-trial.js'
import type { Rehearsal } from './rehearsal.js'

/** What is known of a command after its run without a fault. */
interface FirstRun {
  readonly args: Pick<ArgumentsOf<typeof explore>, 'intercept'>
  readonly command: readonly string[]
  readonly rehearsal: Pick<Rehearsal, 'clock'>
  readonly runner: Pick<CommandRunner, 'baseline' | 'called' | 'evidenceOf'>
}

/** Says why nothing can be explored: the command fails by itself, or never calls the emulator. */
export function baselineLines(
  { failures }: ExploreReport,
  { args, runner, command, rehearsal: { clock } }: FirstRun,
  { terminal, program }: Context,
): string[] {
  const { paint } = terminal.errors
  const shown = printable(command.join(' '))
  const evidence = runner.evidenceOf(failures[0]?.runs[0] ?? 1) ?? runner.baseline?.evidence
  const why = runner.called
    ? [
        `${shown} fails without any fault: ${printable(failures[0]?.reason ?? '')}`,
        ...(failures[0]?.verdict === 'hung' ? [SLOW] : []),
        ...(clock === 'auto' && failures[0]?.verdict === 'hung' ? [POLLS] : []),
      ]
    : [
        `${shown} never called the emulator, so no scenario can change what it does.`,
        ...(args.intercept ? [...NOT_INTERCEPTED, `Read more: ${program} docs clients`] : NOT_LED),
      ]
  return [
    paint(['bold', 'red'], why[0]!),
    ...why.slice(1),
    ...(evidence && `${evidence.stdout}${evidence.stderr}`.includes(CHAT_KEY)
      ? [WITHOUT_CHAT_KEY]
      : []),
    ...(evidence ? ['', ...outputLines(evidence)] : []),
    ...(runner.called && evidence ? ['', ...printableLines(evidence.trace).split('\n')] : []),
  ]
}

const NOT_LED = [
  'It must read SVTRAIN_BASE_URL (the training API), SVTRAIN_INFERENCE_URL (chat) and SVTRAIN_API_KEY.',
  'If it names no address, add --intercept: it reaches the emulator as it is.',
  'For other variables, use --env, such as --env OPENAI_BASE_URL={inference}.',
]

/** What a user can do if a command calls no emulator, although the real hosts are intercepted. */
const NOT_INTERCEPTED = [
  'Its client may ignore the variables of a proxy, or call an address that is not intercepted.',
  'For another address, use --intercept training=https://api.example.com/v1.',
]

/** Why a command may hang under the clock `auto`. */
const POLLS =
  'Under the clock auto, time passes only when jobs are polled. If the command waits for something else, use --clock instant.'

const SLOW = 'If it is only slow: --timeout 2m'

const MOST_LINES = 40

function outputLines({ code, stdout, stderr }: Evidence): string[] {
  const lines = [stdout, stderr].flatMap((text) => {
    return text === '' ? [] : printableLines(text.trimEnd()).split('\n')
  })
  const left = lines.length - MOST_LINES
  const end = code === undefined ? 'was stopped' : `exited with code ${code}`
  if (lines.length === 0) return [`It printed nothing, and ${end}.`]
  return [
    `What it printed before it ${end}:`,
    ...(left > 0 ? [`  … ${counted(left, 'line')} before these`] : []),
    ...lines.slice(-MOST_LINES).map((line) => `  ${line}`),
  ]
}
