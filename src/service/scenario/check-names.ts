/** What each client check looks for, as scenarios and the control API say it. */
export const soughtMistakes = {
  duplicateJobs: 'batches that were submitted again blindly',
  forgottenJobs: 'new jobs although an earlier one may still run',
  backwardCursors: 'cursors before one that was already used',
  skippedEvents: 'cursors after events that the client never received',
  eventsReadAgain: 'events that were read again and again',
  pollsPastTheEnd: 'polls of jobs whose end the client has seen',
  earlyRetries: 'calls that came back before their Retry-After',
  deliveries: 'deliveries that were never acknowledged',
  baseModelAnswers: 'training on answers of the base model',
  staleAnswers: 'training on answers of old checkpoints',
  mixedCheckpoints: 'trajectories with answers of several checkpoints',
  mixedPrompts: 'groups of different prompts',
  changedAnswers: 'training on answers that differ from what was sampled',
  unknownAnswers: 'training on answers that no chat gave',
  cutOffAnswers: 'training on many answers that were cut off',
  failedCallsScored: 'rewards for chats, or calls of a judge, that failed',
  nonFiniteRewards: 'rewards that are NaN or infinite',
  equalRewards: 'many groups with equal rewards, or all of a job',
  missingLogprobs: 'answers that lost their log probabilities',
  duplicateTrajectories: 'trajectories that were submitted twice',
  trainedValidation: 'training on trajectories of another split',
  brokenToolCalls: 'tool calls that do not fit the conversation',
  bestCheckpointDeleted: 'the deletion of the best checkpoint',
  unorderedMetrics: 'metrics logged out of order',
  unfinishedRuns: 'runs that never finished',
  uncommittedArtifacts: 'artifacts that were never committed',
} as const

/** The name of a client check. */
export type CheckName = keyof typeof soughtMistakes

export const checkNames = Object.keys(soughtMistakes) as readonly CheckName[]

/** The checks that are errors. The others warn, unless their setting is `fail`. */
export const errorChecks: readonly CheckName[] = [
  'duplicateJobs',
  'backwardCursors',
  'skippedEvents',
  'eventsReadAgain',
  'pollsPastTheEnd',
  'deliveries',
]

/** Makes a table with a value for each check. */
export function eachCheck<T>(valueFor: (name: CheckName) => T): Record<CheckName, T> {
  const values = checkNames.map((name) => [name, valueFor(name)])
  return Object.fromEntries(values) as Record<CheckName, T>
}

/** The name of a client check in scenarios and in the control API: `duplicate_jobs`. */
export type CheckKey = SnakeCase<CheckName>

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : ''

const keys = eachCheck((name) => {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as CheckKey
})

export function checkKey(name: CheckName): CheckKey {
  return keys[name]
}

/** How many steps behind the newest checkpoint the check `staleAnswers` lets an answer be, if nobody says it. */
export const MOST_STEPS_BEHIND = 1

/** The checks of training data that need nothing but the data. The others compare it with what an emulator has seen. */
export const fileCheckNames = [
  'mixedPrompts',
  'changedAnswers',
  'cutOffAnswers',
  'nonFiniteRewards',
  'equalRewards',
  'missingLogprobs',
  'duplicateTrajectories',
  'brokenToolCalls',
] as const satisfies readonly CheckName[]

/** The name of a check that can read a file. */
export type FileCheckName = (typeof fileCheckNames)[number]

/** Whether a check can read a file. */
export function isFileCheck(name: CheckName): name is FileCheckName {
  return fileCheckNames.some((each) => each === name)
}
