import { parseScenario } from '../../service/scenario/scenario-yaml.js'
import type { Scenario } from '../../service/scenario/scenario.js'
import { counted } from '../../base/text/counted.js'
import { chatRules } from './chat-rules.js'
import { jobCreations } from '../../service/contract/operation-names.js'
import { checkpointsIn } from './checkpoints-seen.js'
import {
  exchangesOf,
  isAccepted,
  startOf,
  type Exchange,
  type RecordedExchange,
} from './exchanges.js'
import { faultsOf } from './faults-seen.js'
import type { JobOfRun } from './jobs-of-run.js'
import { jobRules } from './job-rules.js'
import {
  jobOfEvents,
  jobsIn,
  modelsIn,
  stepsIn,
  type SeenJob,
  type SeenModel,
} from './jobs-seen.js'
import {
  lifecyclesOf,
  type LifecycleOptions,
  type NothingToTrain,
  type ScenarioPart,
} from './lifecycles.js'
import type { RecordedKind } from './recording.js'
import { RecordingError } from './recording-error.js'
import { nameOf, unfinishedIn, UNKNOWN_END, type UnfinishedJob } from './unfinished-jobs.js'
import { writeYaml } from './write-yaml.js'

/** What a scenario is made from. */
export interface RecordedCalls {
  /** The requests and responses, in any order. */
  readonly recorded: readonly RecordedExchange[]
  /** Where they come from, for people. */
  readonly source: string
  /** Whether the contents of messages were recorded. */
  readonly contents?: 'redacted' | 'recorded' | undefined
  /** The name of the scenario. */
  readonly name: string
  /** Default: a recording. */
  readonly kind?: RecordedKind
  /** What the source does not have, as sentences. */
  readonly notes?: readonly string[]
  /** What the emulator knows about the jobs. Default: only calls show them. */
  readonly jobs?: readonly JobOfRun[] | undefined
}

/** A scenario that was made from a recording. */
export interface MadeScenario {
  /** The file, as YAML with comments. */
  readonly text: string
  readonly scenario: Scenario
  /** The jobs that the recording does not show to the end, as sentences. None: the scenario is complete. */
  readonly missing: readonly MissingEnd[]
}

/** A job that a recording does not show to the end. */
export interface MissingEnd {
  /** The id of the job, if the recording has it. */
  readonly id: string
  /** What is known of it. */
  readonly seen: string
  /** What it does in the scenario. */
  readonly instead: string
}

/**
 * Writes the scenario that a recording shows.
 *
 * @throws {RecordingError} When the recording has no request, or none that a scenario could answer.
 */
export function scenarioFrom({
  recorded,
  source,
  contents,
  name,
  kind = 'recording',
  notes: lacks = [],
  jobs: own,
}: RecordedCalls): MadeScenario {
  const run = own ?? []
  const start = startOf(recorded) ?? run[0]?.createdAt ?? 0
  const exchanges = exchangesOf(recorded, start)
  if (run.length === 0) assertUsable(exchanges, { source, kind })
  const models = modelsIn(exchanges)
  const jobs = jobsIn(exchanges, models, { jobs: run, start })
  const checkpoints = checkpointsIn(exchanges, jobs)
  const nothingToTrain = nothingToTrainIn(jobs)
  const { faults, contextWindow, pace } = faultsOf(exchanges, checkpoints)
  const chats = chatRules(exchanges, contents, kind)
  const chat = {
    ...(contextWindow !== undefined && { context_window: contextWindow }),
    ...(pace && { pace }),
    ...(chats.rules.length > 0 && { rules: chats.rules }),
  }
  const baseModels = baseModelsOf([...models.values()])
  const played = playedJobs(exchanges, jobs)
  const unfinished = unfinishedIn(jobs)
  const training = trainingOf(jobs, { checkpoints, nothingToTrain, unfinished })
  const isForeign = kind === 'har' && own === undefined
  if (isForeign && jobs.length === 0 && chats.rules.length === 0) {
    assertTelling(exchanges, { source, faults })
  }
  const body = {
    name,
    description: describe(exchanges, jobs),
    ...(baseModels && { base_models: baseModels }),
    ...(nothingToTrain !== 'skip' && { rl: { nothing_to_train: nothingToTrain } }),
    ...(faults.length > 0 && { faults }),
    ...(Object.keys(chat).length > 0 && { chat }),
    ...training.written,
    ...(played.length > 0 && { play: { jobs: played } }),
  }
  const missing = [...unfinished.values()].filter(({ job }) => job.goesOn).map(missingEnd)
  const notes = [...lacks, ...training.notes, ...chats.notes]
  const header = [...missingNotes(missing, jobs.length), ...headerOf(source, exchanges, notes)]
  return { ...made(body, header), missing }
}

/**
 * Writes the scenario of a job whose events were saved.
 *
 * @throws {RecordingError} When the events are none of a job.
 */
export function scenarioFromEvents(
  events: readonly Readonly<Record<string, unknown>>[],
  { source, name }: Pick<RecordedCalls, 'source' | 'name'>,
): MadeScenario {
  const { job, hasTimes } = jobOfEvents(events)
  if (!job.events.some(({ type }) => JOB_EVENTS.includes(type))) {
    const types = [...new Set(job.events.map(({ type }) => type))].join(', ')
    throw new RecordingError(
      `${source} has events, but none of a training job: ${types}. Expected ${JOB_EVENTS.join(', ')}.`,
    )
  }
  const checkpoints = checkpointsIn([], [])
  const unfinished = unfinishedIn([job])
  const training = trainingOf([job], { checkpoints, nothingToTrain: 'skip', unfinished })
  const missing = [...unfinished.values()].map(missingEnd)
  const times = hasTimes
    ? 'The time before its first event is not in it, and is one second here.'
    : 'They have no times, so there is one second between two events.'
  const notes = [
    ...missingNotes(missing, 1),
    `Made from the ${counted(job.events.length, 'event')} in ${source}. ${times}`,
    ...training.notes,
    'Figures of the submitted data follow from what a client submits.',
  ]
  const description = `A recording of one job with ${counted(job.events.length, 'event')}.`
  return { ...made({ name, description, ...training.written }, notes), missing }
}

export const JOB_EVENTS: readonly string[] = [
  'training_started',
  'gradient_step',
  'training_ended',
  'training_failed',
]

/** Writes the file of a scenario, and reads it again. */
export function made(
  body: ScenarioPart & { name: string },
  header: readonly string[],
): Pick<MadeScenario, 'text' | 'scenario'> {
  const text = writeYaml(body, header)
  return { text, scenario: parseScenario(text, `${body.name}.yaml`) }
}

/** Writes the rules of jobs. Jobs that fail because they have nothing to train on need none. */
export function trainingOf(
  jobs: readonly SeenJob[],
  options: LifecycleOptions,
): { written: ScenarioPart; notes: string[] } {
  const lifecycles = lifecyclesOf(jobs, options)
  const rules = jobRules(
    lifecycles.filter(({ job }) => {
      return !isFailing(options.nothingToTrain) || job.submitted?.nothingToTrain === undefined
    }),
  )
  const notes = lifecycles.flatMap(({ job, notes: own }) => {
    return own.map((note) => `${nameOf(job)}: ${note}`)
  })
  notes.push(...rules.notes)
  const written = {
    ...(rules.jobs.length > 0 && { jobs: rules.jobs }),
    ...(rules.timeline.length > 0 && { timeline: rules.timeline }),
  }
  return { written, notes }
}

function assertUsable(
  exchanges: readonly Exchange[],
  { source, kind }: { source: string; kind: RecordedKind },
): void {
  const isRecording = kind === 'recording'
  if (exchanges.length === 0) {
    const fix = isRecording
      ? 'Point your client at the ports of `svtrain-emulator record`, and run it.'
      : 'Save it after your client has called the service.'
    throw new RecordingError(
      `${source} has no requests, so there is nothing to make a scenario from. ${fix}`,
    )
  }
  if (exchanges.some(({ operation }) => operation !== undefined)) return
  const paths = [...new Set(exchanges.map(({ method, path }) => `${method} ${path}`))]
  const shown = paths.slice(0, 3).join(', ')
  throw new RecordingError(
    `${source} has ${counted(exchanges.length, 'request')}, but none of an operation of the service: ${shown}. Expected ${isRecording ? 'paths below the base URL, such as POST /preview/training-jobs. Check --training-url: it ends with /v1.' : 'addresses such as POST https://api.example.com/v1/preview/training-jobs.'}`,
  )
}

/** Operations that other services have, too. A recording of nothing else is probably one of those. */
const USUAL = new Set(['healthCheck', 'listServedModels'])

/** @throws {RecordingError} When the calls show nothing that a scenario would do. */
function assertTelling(
  exchanges: readonly Exchange[],
  { source, faults }: { source: string; faults: readonly unknown[] },
): void {
  const known = exchanges.flatMap(({ operation }) => operation ?? [])
  const isOther = known.every((operation) => USUAL.has(operation))
  if (faults.length > 0 && !isOther) return
  const names = [...new Set(known)].join(', ')
  throw new RecordingError(
    `${source} shows nothing that a scenario would do: no job, no chat with its contents${isOther ? ', and only calls that other services have, too' : ', and no refused or lost call'}. It has ${names}. Save the calls of a client that trains.`,
  )
}

/** Reads what the service does with batches that have nothing to train on. */
function nothingToTrainIn(jobs: readonly SeenJob[]): NothingToTrain {
  for (const job of jobs) {
    const { submitted, events } = job
    if (submitted?.nothingToTrain === undefined) continue
    const steps = stepsIn(job).length
    if (steps > 0 && steps === submitted.trajectories) return 'train'
    const [first] = events
    if (first?.type !== 'training_failed') continue
    const message = String(first.data['error_message'])
    const usual = `No suitable data to train on: ${submitted.nothingToTrain}`
    return message === usual ? 'fail' : { fail: message }
  }
  return 'skip'
}

function isFailing(rule: NothingToTrain): boolean {
  return rule === 'fail' || typeof rule === 'object'
}

/** The base models of the default account need not be written. */
const USUAL_BASE_MODELS = ['example/base-8b-instruct', 'example/base-14b-instruct']

function baseModelsOf(models: readonly SeenModel[]): string[] | undefined {
  const ids = [...new Set(models.map(({ baseModel }) => baseModel))].filter((id) => id !== '')
  return ids.every((id) => USUAL_BASE_MODELS.includes(id)) ? undefined : ids
}

function describe(exchanges: readonly Exchange[], jobs: readonly SeenJob[]): string {
  const requests = counted(exchanges.length, 'request')
  return jobs.length === 0
    ? `A recording of ${requests}.`
    : `A recording of ${counted(jobs.length, 'job')} and ${requests}.`
}

/** Writes what was submitted, so that `play` submits the same. */
function playedJobs(exchanges: readonly Exchange[], jobs: readonly SeenJob[]): ScenarioPart[] {
  const hasCreations = exchanges.some(
    (each) => jobCreations.includes(each.operation ?? '') && isAccepted(each),
  )
  if (!hasCreations) return []
  const all = jobs.map(({ kind, model, submitted }): ScenarioPart => {
    const count = submitted?.trajectories
    return {
      ...(kind === 'sft' && { kind }),
      ...(model && model.name !== 'my-model' && { model: model.name }),
      ...(count !== undefined && count !== 4 && { trajectories: count }),
    }
  })
  const played: { entry: ScenarioPart; repeat: number }[] = []
  for (const entry of all) {
    const last = played.at(-1)
    if (last && JSON.stringify(last.entry) === JSON.stringify(entry)) last.repeat++
    else played.push({ entry, repeat: 1 })
  }
  const written = played.map(({ entry, repeat }) => ({
    ...entry,
    ...(repeat > 1 && { repeat: Math.min(repeat, 1000) }),
  }))
  const isUsual = written.length === 1 && Object.keys(written[0]!).length === 0
  return isUsual ? [] : written
}

export function missingEnd({ job, seen, stays }: UnfinishedJob): MissingEnd {
  const instead = stays
    ? 'Nothing else took that long, so it stays that way here: event: never.'
    : `Here it goes on a little longer than it was seen, and then fails with "${UNKNOWN_END}".`
  return { id: job.id, seen: `${nameOf(job)}: ${seen}.`, instead }
}

/** The first lines of a scenario that is not complete. */
export function missingNotes(missing: readonly MissingEnd[], jobs: number): string[] {
  if (missing.length === 0) return []
  const which = jobs === 1 ? 'the job' : `${missing.length} of ${jobs} jobs`
  return [
    `Partial: nothing shows how ${which} ended.`,
    ...missing.map(({ seen, instead }) => `${seen} ${instead}`),
  ]
}

function are({ length }: readonly unknown[]): string {
  return length === 1 ? 'is' : 'are'
}

function headerOf(
  source: string,
  exchanges: readonly Exchange[],
  notes: readonly string[],
): string[] {
  const strangers = exchanges.filter(({ operation }) => operation === undefined)
  const open = exchanges.filter(({ how }) => how === 'unfinished')
  return [
    `Made from ${source}: ${counted(exchanges.length, 'request')}.`,
    ...(strangers.length > 0
      ? [
          `${counted(strangers.length, 'request')} of no operation of the service ${are(strangers)} left out.`,
        ]
      : []),
    ...(open.length > 0
      ? [
          `${counted(open.length, 'request')} had no end in the recording, and ${are(open)} left out.`,
        ]
      : []),
    ...new Set(notes),
    'Webhooks, models from before the recording and API keys are not in a recording.',
  ]
}
