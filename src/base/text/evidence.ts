/** The heading above the command that runs the same again: on a page, and in the output of a command. */
export const RUN_AGAIN = 'Run it again'

/** How the element of a report begins that has its requests for programs, and how a page says which version wrote it. */
export const REPORT_DATA = '<script type="application/json" id="svtrain-har">'
export const WRITTEN_BY = '<meta name="generator" content="svtrain-emulator '

/** The file in the folder of a recording. */
export const RECORDING_FILE = 'recording.ndjson'

/** The first line of a trace. The name of the scenario is a text of JSON. */
export const TRACE_HEAD =
  /(?:What|Nothing) happened(?: since)?(?: in (?<world>[^\s(]+))? \(scenario (?<name>"(?:[^"\\\n]|\\.)*"), seed (?<seed>\d+), clock \w+/

const PAGE = /^\s*<(?:!doctype html|html)/i
const HAR = /^\s*\{[^{}[\]]*"log"\s*:/

/** Whether a text is a page, such as a report. */
export function isPage(text: string): boolean {
  return PAGE.test(text)
}

/** Whether a text looks like a HAR file. */
export function looksLikeHar(text: string): boolean {
  return HAR.test(text.slice(0, 1000).replace(/^\uFEFF/, ''))
}

/** A file that this program writes, or that a command of it takes. */
export interface KnownFile {
  /** What it is, in words. */
  readonly what: string
  /** What to do with it, as a sentence without its full stop. */
  readonly toDo: string
}

export const SNAPSHOT = 'a snapshot'
export const JOB_EVENTS = 'the events of a job'
export const DELIVERIES = 'a file of deliveries'
export const TRAINING_DATA = 'training data'

const COMMAND = 'svtrain-emulator'
const SCENARIO = `Make a scenario of it: ${COMMAND} scenarios from FILE --to incident.yaml`

/** What a file is, how its text looks, and what takes it. The first one that fits counts. */
const KNOWN: readonly (readonly [what: string, looks: RegExp, toDo: string])[] = [
  ['a page, such as a report', PAGE, SCENARIO],
  ['a HAR file', HAR, SCENARIO],
  ['a recording', /^\s*\{"type":"recording"/, SCENARIO],
  [
    SNAPSHOT,
    /^\s*\{\s*"format"\s*:\s*"svtrain-emulator snapshot"/,
    `Start with --import FILE to continue from it. ${SCENARIO}`,
  ],
  [
    'the world of a data folder',
    /^[\da-f]{8}\+\{"kind":/,
    'Start with --data and its folder to continue from it',
  ],
  [
    'a trace as JSON',
    /^\s*\{\s*"now":[^{}[\]]*"entries":\s*\[/,
    `It names no scenario. Take the trace as text, without --json, or a snapshot: ${COMMAND} snapshot export state.json`,
  ],
  ['a trace', new RegExp(`^${TRACE_HEAD.source}`, 'm'), SCENARIO],
  [
    'the log of an emulator',
    /^(?:svtrain-emulator \d+\.\d+\.\d|\{"kind":"ready","version":|\{"time":"[^"]+","kind":"(?:request|job|note|delivery|receipt)")/m,
    `Its first lines name the scenario and the seed, with which the same happens again: ${COMMAND} --scenario <name> --seed <seed>. What a client met is in the page that ${COMMAND} report writes`,
  ],
  [JOB_EVENTS, /^\s*\{\s*"events":\s*\[\s*\{\s*"index":/, SCENARIO],
  [
    'a JUnit report',
    /^\s*<\?xml[^>]*>\s*<testsuite/,
    'It is for CI. Take the page of the same run, which --report writes',
  ],
  [
    DELIVERIES,
    /^\s*\{"id":"[^\n]*"verdict":"[^\n]*"headers":\{/,
    `Send them again: ${COMMAND} sink replay FILE --to <URL of your receiver>`,
  ],
  [
    TRAINING_DATA,
    /^\s*\{\s*"(?:messages|messages_and_choices|trajectories)"\s*:\s*\[/,
    `Check it: ${COMMAND} check-data FILE`,
  ],
]

/** Says how to make a scenario of a file. */
export function scenarioOf(file: string): string {
  return SCENARIO.replace('FILE', () => file)
}

/** Recognizes a file by its text, or by its start. Undefined: it is something else. */
export function knownFile(text: string, file: string): KnownFile | undefined {
  const written = text.replace(/^\uFEFF/, '')
  const [what, , toDo] = KNOWN.find(([, looks]) => looks.test(written)) ?? []
  return what && toDo ? { what, toDo: toDo.replaceAll('FILE', () => file) } : undefined
}

/** Says what takes the id of a job, which somebody gave as a file. Empty if a text is none. */
export function jobIdHint(text: string): string {
  if (!/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return ''
  return ` It looks like the id of a job, which has an option: trace --job ${text}, or scenarios from --job ${text} --url <URL of the training API>.`
}
