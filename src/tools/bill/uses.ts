import type { Emulator } from '../../emulator/emulator.js'
import type { Engine } from '../../service/engine/engine.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type { BillTotals } from './control-schemas.js'

/** What a program used of one model at one step, before the end of one training job. */
export interface Use {
  /** The number of earlier training jobs. What comes after the last job has the number of all jobs. */
  readonly period: number
  /** The name of the model; the id of a base model. */
  readonly model: string
  /** The id of the base model. Null: the model was deleted, and no chat names it. */
  readonly base: string | null
  /** The step of the checkpoint that answered, or that the job added. Null if there is none. */
  readonly step: number | null
  readonly chats: number
  readonly prompt: number
  readonly completion: number
  /** Tokens of answers that the job trained on. */
  readonly trained: number
  /** How long the job ran, in milliseconds. */
  readonly training: number
}

/** What a world used. */
export interface WorldUse {
  readonly uses: readonly Use[]
  /** The number of training jobs. */
  readonly jobs: number
  /** How many of them were forgotten. What they trained is not known. */
  readonly forgotten: number
  /** The time of each step, from the end of the job before to the end of its own, in milliseconds. */
  readonly times: readonly number[]
  /** The time of the world, in milliseconds. */
  readonly total: number
  readonly checkpoints: { readonly stored: number; readonly made: number }
  /** Bytes of artifacts and files of runs: all, and those that came after the first job. */
  readonly bytes: { readonly all: number; readonly added: number }
}

/** Reads what a world used: chats from their sums, all else from the records of the engine. */
export function usesOf({ engine }: Pick<Emulator, 'engine'>): WorldUse {
  const jobs = [...engine.store.jobs.values()]
  const now = engine.clock.now()
  const bases = new Map<string, string>()
  const chats = [...engine.meter.chats.values()].map((row): Use => {
    bases.set(row.model, row.base)
    const { jobs: period, name, base, step, prompt, completion } = row
    const sampled = { chats: row.chats, prompt, completion }
    return { period, model: name, base, step, ...sampled, trained: 0, training: 0 }
  })
  const forgotten = engine.store.forgottenJobs
  const trained = jobs.map((job, index): Use => {
    const { id, name } = job.model
    const base = engine.store.model(id)?.record.base_model ?? bases.get(id) ?? null
    return {
      period: forgotten + index,
      model: name,
      base,
      step: job.progress.checkpointStep ?? null,
      chats: 0,
      prompt: 0,
      completion: 0,
      trained: trainedTokens(job),
      training:
        job.progress.startedAt === undefined
          ? 0
          : (job.progress.endedAt ?? now) - job.progress.startedAt,
    }
  })
  return {
    uses: [...chats, ...trained],
    jobs: engine.store.jobsMade,
    forgotten,
    times: stepTimes(engine, jobs),
    total: now - engine.began,
    checkpoints: checkpointsOf(engine),
    bytes: bytesOf(engine, jobs[0]?.createdAt ?? Infinity),
  }
}

/** The tokens of answers that a job has trained on so far. */
function trainedTokens({ kind, submission, progress, script }: Job): number {
  const { sequences, metrics } = submission
  const { numSequences } = script
  const tokens = metrics['num_trainable_tokens'] ?? 0
  if (numSequences === 0) return 0
  // An SFT job says how many tokens each of its batches has.
  const all = kind === 'sft' ? tokens * sequences : tokens
  return Math.round(all * Math.min(1, progress.gradientSteps / numSequences))
}

function stepTimes({ clock, began }: Engine, jobs: readonly Job[]): number[] {
  let last = began
  return jobs.map(({ progress: { startedAt, endedAt } }) => {
    const end = Math.max(last, endedAt ?? (startedAt === undefined ? last : clock.now()))
    const took = end - last
    last = end
    return took
  })
}

function checkpointsOf({ store }: Engine): WorldUse['checkpoints'] {
  let [stored, made] = [0, 0]
  for (const { checkpoints } of store.modelStates) {
    // Step 0 is the untrained adapter.
    stored += checkpoints.all.filter(({ step }) => step > 0).length
    made += checkpoints.everMade.filter(({ step }) => step > 0).length
  }
  return { stored, made }
}

function bytesOf(
  { clientPlatform, checkpointArtifacts }: Engine,
  first: number,
): WorldUse['bytes'] {
  let [all, added] = [0, 0]
  const add = (size: number, at: number): void => {
    all += size
    if (at > first) added += size
  }
  for (const artifact of clientPlatform.artifacts.all) {
    if (checkpointArtifacts.checkpointOf(artifact)) continue
    add(artifact.size, artifact.createdAt)
  }
  for (const run of clientPlatform.runs.all) {
    for (const file of run.files.values()) add(file.size, run.createdAt)
  }
  return { all, added }
}

type Counts = Omit<BillTotals, 'jobs'>

/** Adds chats and tokens up. */
export function sumOf(uses: readonly Counts[]): Counts {
  return {
    chats: sum(uses, ({ chats }) => chats),
    prompt: sum(uses, ({ prompt }) => prompt),
    completion: sum(uses, ({ completion }) => completion),
    trained: sum(uses, ({ trained }) => trained),
  }
}

export function sum<T>(of: readonly T[], figure: (each: T) => number): number {
  return of.reduce((total, each) => total + figure(each), 0)
}
