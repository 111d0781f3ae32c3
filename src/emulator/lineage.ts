import { toIso } from '../base/text/iso.js'
import { shortened } from '../base/text/shortened.js'
import { wholeNumber, nonEmptyText, Options } from '../base/text/options.js'
import { LATEST } from '../service/platform/collection.js'
import { checkpointFor, NUMBERED } from '../service/engine/served-models.js'
import { notFound } from './find-named.js'
import type { Engine } from '../service/engine/engine.js'
import type { ModelState } from '../service/engine/model.js'
import { formatChange } from '../service/engine/lineage/answer-change.js'
import { shownText } from '../service/engine/lineage/message-text.js'
import type { Sample } from '../service/engine/lineage/sample.js'
import {
  answersOf,
  stepsBehind,
  type TrainedAnswer,
  type TrainedJob,
  type TrainedTrajectory,
} from '../service/engine/lineage/trained-job.js'

/** What the lineage shows. */
export interface LineageOptions {
  /** The id of a job. Default: the newest jobs. */
  job?: string
  /** A checkpoint, as chats name it, or by its model: `poet:step2`, `poet@step2`, `poet`. Or its id. Shows the job that made it. */
  checkpoint?: string
  /** The most jobs, and the most unused samples, that are shown; the newest. Default: 20. */
  limit?: number
}

export const lineageOptions = new Options<LineageOptions>('lineage', {
  job: nonEmptyText,
  checkpoint: nonEmptyText,
  limit: wholeNumber({ least: 1 }),
})

/** What was sampled, and which jobs trained on it. */
export interface LineageReport {
  /** Totals of all jobs and samples. */
  counts: {
    /** The number of samples that are remembered, without those of judges. */
    samples: number
    /** The number of samples that no job has used. */
    unused: number
    /** The number of answers that jobs trained on. */
    trained: number
    /** The number of those that no chat gave. */
    unknown: number
  }
  /** Where the checkpoint is from that was asked for. Null without one. */
  checkpoint: LineageCheckpoint | null
  /** The jobs with trajectories, in the order in which they were submitted. */
  jobs: LineageJob[]
  /** Samples that no job has used, the newest first. */
  unused: LineageSample[]
}

/** Where a checkpoint is from. */
export interface LineageCheckpoint {
  /** The name of its model. */
  model: string
  step: number
  /** `upload`: no job made it, but a client or the scenario added it. */
  from: 'job' | 'base_model' | 'upload'
  /** The id of the job that made it. */
  job: string | null
}

/** What one job trained on. */
export interface LineageJob {
  /** The id of the job. */
  job: string
  /** The name of its model. */
  model: string
  /** When it was submitted, as an ISO 8601 time. */
  at: string
  /** The state of the job, as the service shows it. */
  status: string
  /** The step of the newest checkpoint of the model when it was submitted. */
  latest: number
  /** The step of the checkpoint that it added. Null if it has added none. */
  step: number | null
  groups: LineageGroup[]
}

export interface LineageGroup {
  trajectories: LineageTrajectory[]
}

/** A trajectory, with the sample of each of its answers. */
export interface LineageTrajectory {
  reward: number | null
  answers: LineageAnswer[]
  /** The trajectory that had the same samples before. */
  duplicate: { job: string; group: number; trajectory: number } | null
  /** What failed, although the trajectory has a reward: `chat 503`. */
  failed: string | null
}

/** An answer in a trajectory. */
export interface LineageAnswer {
  /** Its index in the messages of the trajectory. */
  turn: number
  /** `sampled`: as a chat gave it. `changed`: a chat gave it, and it differs now. `unknown`: no chat gave it. */
  state: 'sampled' | 'changed' | 'unknown'
  /** What differs from what was sampled. */
  changed: string | null
  /** How many steps its checkpoint was behind the newest one. Null for other models, and if it is unknown. */
  lag: number | null
  /** What was sampled. Null if it is unknown or forgotten. */
  sample: LineageSample | null
}

/** An answer to a chat. */
export interface LineageSample {
  /** The id of the completion. */
  completion: string
  /** The index of the choice. */
  choice: number
  /** When it was sampled, as an ISO 8601 time. */
  at: string
  /** The name of the model, or the id of a base model. */
  model: string
  /** The step of the checkpoint. Null for a base model. */
  step: number | null
  /** The beginning of the answer. */
  text: string
  /** How the answer ended: `stop`, `length`, `tool_calls` or `content_filter`. */
  finish: string
  /** The number of its tokens. */
  tokens: number
  /** The id of the request in the journal. Null if the journal does not have it. */
  request: number | null
}

const SHOWN = 20
const LONGEST_SHOWN = 200

/**
 * Returns what was sampled in a world, and which jobs trained on it.
 *
 * @throws {NotFoundError} When there is no such checkpoint.
 */
export function lineageOf(
  engine: Engine,
  { job: id, checkpoint: named, limit = SHOWN }: LineageOptions = {},
): LineageReport {
  const checkpoint = named === undefined ? null : originOf(engine, named)
  // Of a checkpoint without a job, no job is shown.
  const job = id ?? (checkpoint ? (checkpoint.job ?? '') : undefined)
  const { lineage } = engine
  const jobs = [...lineage.jobs]
  const isUnused = (sample: Sample): boolean => !lineage.useOf(sample)
  // Of a judge, only what a job trains on all the same.
  const samples = [...lineage.samples.all].filter((each) => !each.isOfJudge || !isUnused(each))
  const unused = samples.filter(isUnused)
  const answers = jobs.flatMap(answersOf)
  const shown = job === undefined ? jobs.slice(-limit) : jobs.filter((each) => each.job === job)
  return {
    counts: {
      samples: samples.length,
      unused: unused.length,
      trained: answers.length,
      unknown: answers.filter(({ sample }) => sample === undefined).length,
    },
    checkpoint,
    jobs: shown.map((each) => jobOf(engine, each)),
    unused:
      job === undefined
        ? unused
            .slice(-limit)
            .reverse()
            .map((sample) => sampleOf(engine, sample))
        : [],
  }
}

/** A model, and what follows its name: `poet:step2`, `demo/poet@v3`, `artifact:///team/demo/poet`, `poet step 2`. */
const CHECKPOINT = /^(?:[a-z][a-z0-9+.-]*:\/\/\/?)?(?<model>[^:@ ]+)(?:[:@ ](?<suffix>.+))?$/i

/** @throws {NotFoundError} When there is no such model or checkpoint. */
function originOf({ store, clock }: Engine, named: string): LineageCheckpoint {
  const models = [...store.modelStates]
  for (const state of models) {
    const made = state.checkpoints.everMade.find(({ id }) => id === named.toLowerCase())
    if (made) return originOfStep(state, made.step)
  }
  const modelNamed = (called: string): ModelState | undefined => {
    return models.findLast(({ record: { entity, project, name } }) => {
      return `/${entity}/${project}/${name}`.endsWith(`/${called}`)
    })
  }
  // The name of a model may have a space or a colon.
  const whole = modelNamed(named)
  const { model = '', suffix = LATEST } = (whole ? undefined : CHECKPOINT.exec(named)?.groups) ?? {}
  const state = whole ?? modelNamed(model)
  if (!state) {
    const names = models.map(({ record }) => record.name)
    throw notFound('there is no model', model || named, names, 'there is none yet')
  }
  const { name } = state.record
  const end = suffix.replace(/^step /, 'step')
  const found = checkpointFor(state, { suffix: end, at: clock.now() })
  // A checkpoint that was deleted is still known to its job.
  const origin = originOfStep(state, found?.step ?? Number(NUMBERED.exec(end)?.[2]))
  if (!found && !origin.job) {
    const steps = state.checkpoints.all.map((each) => `${name}:step${each.step}`)
    throw notFound('there is no checkpoint', `${name}:${end}`, steps)
  }
  return origin
}

function originOfStep({ jobs, record }: ModelState, step: number): LineageCheckpoint {
  const job = jobs.findLast(({ progress }) => progress.checkpointStep === step)
  const without = step === 0 ? 'base_model' : 'upload'
  return { model: record.name, step, from: job ? 'job' : without, job: job?.id ?? null }
}

function jobOf(engine: Engine, trained: TrainedJob): LineageJob {
  const job = engine.store.jobs.get(trained.job)
  return {
    job: trained.job,
    model: modelName(engine, trained.model),
    at: toIso(trained.at),
    status: job?.progress.status ?? 'failed',
    latest: trained.latest,
    step: job?.progress.checkpointStep ?? null,
    groups: trained.groups.map(({ trajectories }) => ({
      trajectories: trajectories.map((each) => trajectoryOf(engine, each, trained)),
    })),
  }
}

function trajectoryOf(
  engine: Engine,
  { reward, answers, duplicateOf, failed }: TrainedTrajectory,
  trained: TrainedJob,
): LineageTrajectory {
  return {
    reward,
    answers: answers.map((each) => answerOf(engine, each, trained)),
    duplicate: duplicateOf ? { ...duplicateOf } : null,
    failed: failed ? `${failed.what} ${failed.got}` : null,
  }
}

function answerOf(engine: Engine, answer: TrainedAnswer, trained: TrainedJob): LineageAnswer {
  const { turn, sample: number, changed } = answer
  const sample = number === undefined ? undefined : engine.lineage.samples.get(number)
  return {
    turn,
    state: stateOf(answer),
    changed: changed === undefined ? null : formatChange(changed),
    lag: stepsBehind(answer, trained) ?? null,
    sample: sample ? sampleOf(engine, sample) : null,
  }
}

function stateOf({ sample, changed }: TrainedAnswer): LineageAnswer['state'] {
  if (sample === undefined) return 'unknown'
  return changed === undefined ? 'sampled' : 'changed'
}

function sampleOf(engine: Engine, sample: Sample): LineageSample {
  const { completion, choice, at, model, step, text, finishReason, tokens, request } = sample
  return {
    completion,
    choice,
    at: toIso(at),
    model: step === null ? model : modelName(engine, model),
    step,
    text: shortened(shownText(text), LONGEST_SHOWN),
    finish: finishReason,
    tokens,
    request: request ?? null,
  }
}

/** The name of a model. Its id if it was deleted. */
function modelName({ store }: Engine, id: string): string {
  return store.model(id)?.record.name ?? id
}
