/** Runs that often find a mistake, and the mistake. */
interface Telling {
  readonly name: RegExp
  readonly finds: string
}

/**
 * What is tried first. The mistakes that cost most come first, and among them those that most loops make. A place in
 * this table is the only reason to try one run before another of the same part.
 */
const RANKING: readonly Telling[] = [
  {
    name: /^crashes create\w+TrainingJob:\d+:before$/,
    finds: 'a job that was accepted, but whose id was not stored yet',
  },
  {
    name: /^crashes create\w+TrainingJob:\d+:after$/,
    finds: 'a job that nobody follows after the restart',
  },
  { name: /^crashes uploadFile:\d+:after$/, finds: 'an upload that nothing refers to yet' },
  {
    name: /^crashes (?:getTrainingJob|listTrainingJobEvents):/,
    finds: 'events and metrics that are lost, or come twice',
  },
  {
    name: /^crashes (?:create|delete|log)(?!.*ChatCompletion)/,
    finds: 'a model that is created again at each start',
  },
  { name: /^crashes (?:get|list)/, finds: 'a step that comes twice, or is left out' },
  { name: /^crashes \w*ChatCompletion/, finds: 'answers of a wrong checkpoint' },
  { name: /^several-polls$/, finds: 'events that are read twice, or left out' },
  {
    name: /^(?:repeated-deliveries|equal-events|forged-deliveries)$/,
    finds: 'a receiver that acts twice, too seldom, or on a forged delivery',
  },
  { name: /^commit-then-fail$/, finds: 'a job that is submitted again after a lost answer' },
  { name: /^failing-job$/, finds: 'a failed job that is taken for a trained one' },
  { name: /^flaky-gateway$/, finds: 'a call that is not repeated after 503' },
  { name: /^checkpoint-not-served$/, finds: 'a checkpoint that is used before it is served' },
  { name: /^(?:missing|nan|textual)-metrics?$/, finds: 'a metric that is taken for a number' },
  { name: /^ends-early$/, finds: 'a wait for steps that never come' },
  { name: /^rate-limited$/, finds: 'a call that does not wait after 429' },
  // Code that waits for them costs the whole time of a run.
  { name: /^chat-hangs$/, finds: 'a chat without a timeout' },
  { name: /^stuck-job$/, finds: 'a wait for a job without a limit' },
]

/** Scenarios for which code may wait as long, and which tell less. They come last. */
const LAST = /^(?:hanging-calls|chat-stalls-mid-stream|stuck-in-queue)$/

/** The mistake that a run often finds. Undefined if it is no usual one. */
export function findsOf(name: string): string | undefined {
  return RANKING.find((each) => each.name.test(name))?.finds
}

/** Sorts runs, the most telling ones first. Others stay in their order. */
export function mostTellingFirst<Run extends { name: string }>(runs: readonly Run[]): Run[] {
  return runs.toSorted((one, other) => rankOf(one.name) - rankOf(other.name))
}

/** The place of a run among all. A smaller one is more telling. */
export function rankOf(name: string): number {
  const rank = RANKING.findIndex((each) => each.name.test(name))
  if (rank !== -1) return rank
  return RANKING.length + Number(LAST.test(name))
}
