import { parseScenario } from '../../service/scenario/scenario-yaml.js'
import { USUAL_BASE_MODELS } from '../../service/scenario/schema/scenario.js'
import type { Scenario } from '../../service/scenario/scenario.js'
import { counted } from '../../base/text/counted.js'
import { chatRules } from './chat-rules.js'
import { jobCreations } from '../../service/contract/operation-names.js'
import { checkpointsIn } from './checkpoints-seen.js'
import { isAccepted, type Exchange, type ScenarioPart } from './exchanges.js'
import { faultsOf, type SeenFaults } from './faults-seen.js'
import { unknownEffects } from './unknown-effects.js'
import { assertTelling, assertUsable, reachedIn } from './usable-calls.js'
import { exchangesOf } from './read-exchanges.js'
import { jobRules } from './job-rules.js'
import { jobsIn, modelsIn } from './jobs-seen.js'
import { trajectoriesOf, type SeenJob, type SeenModel } from './seen-job.js'
import { skipsTime } from './har-clock.js'
import type { FileCalls } from './read-har.js'
import type { RecordedKind } from './recording.js'
import { playOf } from './play-part.js'
import { isUnread } from './replaced-text.js'
import { missingEnds, missingNotes, type MissingEnd } from './unfinished-jobs.js'
import { writeYaml } from './write-yaml.js'

/** What a scenario is made from. */
export interface RecordedCalls
  extends Pick<FileCalls, 'recorded'>, Partial<Omit<FileCalls, 'recorded'>> {
  /** Where they come from, for people. */
  readonly source: string
  /** The name of the scenario. */
  readonly name: string
  /** Whether calls without an answer took effect where nothing shows it. Default: they did not. */
  readonly lostTookEffect?: boolean | undefined
  /** Default: a recording. */
  readonly kind?: RecordedKind
}

/** A scenario that was made from a recording. */
export interface MadeScenario {
  /** The file, as YAML with comments. */
  readonly text: string
  readonly scenario: Scenario
  /** The jobs that the recording does not show to the end, as sentences. None: the scenario is complete. */
  readonly missing: readonly MissingEnd[]
  /** What answers showed and the scenario does not have, and what nothing shows, as sentences. */
  readonly losses: readonly string[]
  /** The clock under which a client meets the same. */
  readonly clock: string
}

/**
 * Writes the scenario that a recording shows: each job with its events and their times, each call that failed by its
 * number, and each answer of a chat. What calls do not show is a comment at the top.
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
  losses: gone = [],
  jobs: own,
  clock: clockOfRun,
  webhooks,
  lostTookEffect,
}: RecordedCalls): MadeScenario {
  const run = own ?? []
  const all = exchangesOf(recorded)
  const exchanges = reachedIn(all, source)
  if (run.length === 0) assertUsable(exchanges, { source, kind })
  const models = modelsIn(exchanges)
  const jobs = jobsIn(exchanges, models, run)
  const checkpoints = checkpointsIn(exchanges, jobs, lostTookEffect)
  const seen = faultsOf(exchanges, { checkpoints, jobs })
  const chats = chatRules(exchanges, contents, kind)
  const baseModels = baseModelsOf([...models.values()])
  const played = playedJobs(exchanges, jobs)
  const rules = jobRules(jobs, checkpoints)
  const isForeign = kind === 'har' && own === undefined
  if (isForeign && jobs.length === 0 && chats.rules.length === 0) {
    assertTelling(exchanges, { source, faults: seen.faults })
  }
  const body = {
    name,
    description: describe(exchanges, rules.numbered),
    ...(baseModels && { base_models: baseModels }),
    ...(seen.faults.length > 0 && { faults: seen.faults }),
    ...chatPart(seen, chats),
    ...(rules.jobs.length > 0 && { jobs: rules.jobs }),
    ...(rules.timeline.length > 0 && { timeline: rules.timeline }),
    ...webhooks,
    ...(played.length > 0 && { play: { jobs: played } }),
  }
  const missing = missingEnds(rules.numbered, all)
  // The emulator knows which calls took effect.
  const effects = own ? [] : unknownEffects(exchanges, checkpoints.worked)
  const clock = clockFor(seen, clockOfRun)
  const losses = [...seen.losses, ...gone, ...rules.losses]
  const notes = [
    ...losses,
    ...lacks,
    ...rules.notes,
    ...seen.notes,
    ...effects,
    ...chats.notes,
    ...pollNotes(seen, clock),
  ]
  const header = [
    ...missingNotes(missing, rules.numbered.length),
    ...headerOf(source, all, notes),
    webhooks ? OF_RUN : NOT_RECORDED,
  ]
  return { ...made(body, header), missing, losses: [...losses, ...effects], clock }
}

/** A clock that skips time makes as many polls as in a run under it, and fewer than the service saw. */
function clockFor({ countPolls }: SeenFaults, ofRun = 'real'): string {
  if (!countPolls) return 'instant'
  return skipsTime(ofRun) ? ofRun : 'real'
}

function pollNotes({ countPolls }: SeenFaults, clock: string): string[] {
  if (!countPolls) return []
  return [
    `Some faults come only after other polls, and clocks that skip time make fewer. --clock ${clock} keeps them.`,
  ]
}

function chatPart(
  { contextWindow }: Pick<SeenFaults, 'contextWindow'>,
  { rules }: { rules: readonly ScenarioPart[] },
): ScenarioPart {
  const chat = {
    ...(contextWindow !== undefined && { context_window: contextWindow }),
    ...(rules.length > 0 && { rules }),
  }
  return Object.keys(chat).length > 0 ? { chat } : {}
}

const NOT_RECORDED =
  'Webhooks, models from before the recording and API keys are not in a recording.'
const OF_RUN =
  'Webhooks are those of the run. Their URLs and secrets are left out, so they go to --webhook or to the sink. What a receiver answered and what was resent by hand is not in it. Models from before the run and API keys are not in it.'

/** Writes the file of a scenario, and reads it again. */
export function made(
  body: ScenarioPart & { name: string },
  header: readonly string[],
): Pick<MadeScenario, 'text' | 'scenario'> {
  const text = writeYaml(body, header)
  return { text, scenario: parseScenario(text, `${body.name}.yaml`) }
}

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
  return playOf(
    jobs.map((job) => {
      return { kind: job.kind, model: job.model?.name, trajectories: trajectoriesOf(job) }
    }),
  )
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
  const unreached = exchanges.filter(({ how }) => how === 'unreached')
  const unread = exchanges.filter(({ operation, text }) => operation && isUnread(text))
  return [
    `Made from ${source}: ${counted(exchanges.length, 'request')}.`,
    strangers.length > 0 &&
      `${counted(strangers.length, 'request')} of no operation of the service ${are(strangers)} left out.`,
    open.length > 0 &&
      `${counted(open.length, 'request')} had no end in the recording, and ${are(open)} left out.`,
    unreached.length > 0 &&
      `${counted(unreached.length, 'request')} never reached the service, and ${are(unreached)} left out.`,
    unread.length > 0 && unreadNote(unread),
    ...new Set(notes),
  ].filter((note) => note !== false)
}

function unreadNote(unread: readonly Exchange[]): string {
  const names = [...new Set(unread.flatMap(({ operation }) => operation ?? []))].join(', ')
  return `${counted(unread.length, 'answer')} ${are(unread)} not in the recording, so nothing shows what ${unread.length === 1 ? 'it' : 'they'} said: ${names}.`
}
