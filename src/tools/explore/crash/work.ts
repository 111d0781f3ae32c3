import { countsOf } from '../../../base/text/counted.js'
import type { Emulator } from '../../../emulator/emulator.js'
import type { Job } from '../../../service/engine/jobs/job.js'
import type { RequestEntry } from '../../../service/engine/journal.js'
import type { Sample } from '../../../service/engine/lineage/sample.js'
import type { TrainedGroup, TrainedJob } from '../../../service/engine/lineage/trained-job.js'
import { answersOf, numbersIn, stepsBehind } from '../../../service/engine/lineage/trained-job.js'
import { wasReceived } from '../../../service/engine/received.js'
import { metricsIn, rowOf } from '../../../service/platform/run-row.js'
import type { Run } from '../../../service/platform/run.js'
import { isBeside } from './armed-kill.js'

/** What a program made in a world, to compare two runs of it. Answers of models are not in it, because they differ. */
export interface Work {
  /** How often each operation was called, by the names of the calls. */
  readonly calls: Readonly<Record<string, number>>
  /** The last call, without those about runs and artifacts. */
  readonly lastCall: string | undefined
  /** In the order of their creation. */
  readonly models: readonly WorkModel[]
  /** In the order of their creation. */
  readonly jobs: readonly WorkJob[]
  /** In the order of their creation. */
  readonly runs: readonly WorkRun[]
}

interface WorkModel {
  readonly name: string
  /** The last step that it reached. */
  readonly step: number
  /** How often each step was reached, by step. */
  readonly made: ReadonlyMap<number, number>
  /** The steps of the checkpoints that it has at the end. */
  readonly checkpoints: readonly number[]
}

export interface WorkJob {
  readonly id: string
  /** What it was trained on, as a text that is the same for the same prompts. Undefined if that is not known. */
  readonly batch: string | undefined
  /** The texts of its groups, which are the same for the same prompts. */
  readonly groups: readonly string[]
  /** The id of an earlier job that has all its trajectories. */
  readonly copyOf?: string | undefined
  /** The step of the newest checkpoint before it. Undefined if that is not known. */
  readonly latest?: number | undefined
  /** The step of its checkpoint. Undefined if it made none. */
  readonly made?: number | undefined
  /** The most steps by which the checkpoint of one of its answers was behind. */
  readonly lag: number
  /** Whether a newer checkpoint was there when one of its answers was sampled. */
  readonly sampledOld: boolean
  /** How many of its answers came from the base model, although the model had a checkpoint. */
  readonly fromBase: number
  /** How many of its events no client received. 0 if the program never learned of the job. */
  readonly unseen: number
}

interface WorkRun {
  readonly path: string
  /** How many rows have each metric. */
  readonly rows: ReadonlyMap<string, number>
}

type WorkedWorld = Pick<Emulator, 'engine' | 'journal'>

/** Returns what a program made in a world. */
export function workIn({ engine, journal }: WorkedWorld): Work {
  const requests = journal.entries.filter((entry): entry is RequestEntry => {
    return entry.kind === 'request' && entry.host !== 'control'
  })
  const trained = new Map([...engine.lineage.jobs].map((each) => [each.job, each]))
  const seen = eventsReceived(requests)
  const creations = new Map(requests.map((request) => [request.id, request]))
  // A journal that has forgotten entries cannot say what was never read.
  const isWhole = (journal.entries[0]?.id ?? 1) === 1
  const lastCall = requests.findLast(({ operation }) => {
    return operation !== undefined && !isBeside(operation)
  })?.operation
  return {
    calls: Object.fromEntries(countsOf(requests.flatMap(({ operation }) => operation ?? []))),
    lastCall,
    models: [...engine.store.modelStates].map(({ record, checkpoints }) => ({
      name: record.name,
      step: Math.max(0, ...checkpoints.everMade.map(({ step }) => step)),
      made: countsOf(checkpoints.everMade.map(({ step }) => step)),
      checkpoints: checkpoints.all.map(({ step }) => step),
    })),
    jobs: [...engine.store.jobs.values()].map((job) => {
      const creation = job.cause === undefined ? undefined : creations.get(job.cause)
      const isKnown = isWhole && creation !== undefined && wasReceived(creation)
      return {
        id: job.id,
        latest: trained.get(job.id)?.latest,
        made: job.progress.checkpointStep,
        ...trainingOf(job, trained.get(job.id), engine),
        unseen: isKnown ? job.events.count - (seen.get(job.id)?.size ?? 0) : 0,
      }
    }),
    runs: [...engine.platformWithCheckpoints().runs.all].map((run) => ({
      path: run.path,
      rows: rowsOf(run),
    })),
  }
}

function trainingOf(
  job: Job,
  trained: TrainedJob | undefined,
  { lineage, store }: WorkedWorld['engine'],
): Omit<WorkJob, 'id' | 'latest' | 'made' | 'unseen'> {
  if (!trained) return { batch: dataOf(job), groups: [], lag: 0, sampledOld: false, fromBase: 0 }
  const groups = trained.groups.map(groupText).sort()
  const answers = answersOf(trained)
  const trajectories = trained.groups.flatMap((group) => group.trajectories)
  const [copyOf, ...others] = new Set(trajectories.map(({ duplicateOf }) => duplicateOf?.job))
  return {
    batch: groups.join(' '),
    groups,
    copyOf: others.length > 0 || copyOf === job.id ? undefined : copyOf,
    lag: Math.max(0, ...answers.map((answer) => stepsBehind(answer, trained) ?? 0)),
    sampledOld: numbersIn(answers).some((number) => {
      const sample = lineage.samples.get(number)
      return sample !== undefined && wasOld(sample, store)
    }),
    fromBase: answers.filter(({ insteadOfAdapter }) => insteadOfAdapter).length,
  }
}

/** Whether its model had a newer checkpoint when it was sampled. */
function wasOld({ model, step, at }: Sample, store: WorkedWorld['engine']['store']): boolean {
  const checkpoints = step === null ? [] : (store.model(model)?.checkpoints.everMade ?? [])
  return checkpoints.some((made) => made.step > step! && made.createdAt <= at)
}

/** Names a group by its prompts. Without any, its rewards are all that it has. */
function groupText({ trajectories }: TrainedGroup): string {
  const prompts = [...new Set(trajectories.map(({ begins }) => begins))].sort(
    (one, other) => one - other,
  )
  if (prompts.some((prompt) => prompt !== 0)) return prompts.join('+')
  return `rewards ${trajectories.map(({ reward }) => reward).join('+')}`
}

/** Names the data of an SFT job by their size: the same data have other addresses when they are uploaded again. */
function dataOf({ kind, submission: { sequences, metrics } }: Job): string | undefined {
  return kind === 'sft' ? `sft ${sequences} ${JSON.stringify(metrics)}` : undefined
}

/** The indexes of the events of each job that clients received. */
function eventsReceived(
  requests: readonly RequestEntry[],
): ReadonlyMap<string, ReadonlySet<number>> {
  const seen = new Map<string, Set<number>>()
  for (const request of requests) {
    const { jobView } = request
    if (!jobView?.shown || !wasReceived(request)) continue
    const indexes = seen.get(jobView.jobId) ?? new Set()
    for (let index = jobView.shown[0]; index < jobView.shown[1]; index++) indexes.add(index)
    seen.set(jobView.jobId, indexes)
  }
  return seen
}

function rowsOf({ history }: Run): ReadonlyMap<string, number> {
  return countsOf(history.lines.flatMap((line) => Object.keys(metricsIn(rowOf(line) ?? {}))))
}
