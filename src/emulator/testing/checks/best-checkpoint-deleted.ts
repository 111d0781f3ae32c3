import { isChatOperation } from '../../../service/contract/operation-names.js'
import { isRecord } from '../../../service/contract/pydantic/record.js'
import type { Checkpoint } from '../../../service/engine/jobs/checkpoints.js'
import type { RequestEntry } from '../../../service/engine/journal.js'
import type { ModelState } from '../../../service/engine/model.js'
import { artifactIn, meansCheckpoint } from '../../../service/engine/served-models.js'
import type { Store } from '../../../service/engine/store.js'
import type { CheckDefinition, FoundMistake } from '../check-definition.js'
import { formatRequest } from '../format.js'
import { idsIn } from '../job-of-request.js'
import { logsValidation } from './validation-metrics.js'

/** The options of the check `bestCheckpointDeleted`. */
export interface BestCheckpointOptions {
  /** The metric by which a checkpoint is the best, such as `val/reward`. Default: `val/reward`, or else `train/reward`. */
  metric?: string
  /** Whether it is an error. Default: it is a warning. */
  fail?: boolean
}

export const bestCheckpointDeleted: CheckDefinition = {
  mistake:
    'The deletion of the checkpoint with the highest reward, or of one that a chat uses later.',
  legitimate: 'Never: nobody can bring a checkpoint back.',
  find(world, requests, setting) {
    const { metric } = (setting ?? {}) as BestCheckpointOptions
    const { store } = world.engine
    const deletions: Deletion[] = []
    return requests.flatMap((request) => {
      if (request.operation === 'deleteCheckpoints' && request.status === 200) {
        const deletion = deletionIn(request, store, deletions)
        if (!deletion) return []
        deletions.push(deletion)
        // What a client logged to a run may be its measure, and which of its rows is which checkpoint is not known.
        return bestIn(deletion, metric, logsValidation(world.engine))
      }
      return request.status === 404 ? usedLater(request, deletions) : []
    })
  },
  findInDeletion(world, deletion, setting) {
    const requests = world.journal.entries.filter((entry) => entry.kind === 'request')
    const found = bestCheckpointDeleted.find(world, requests, setting)
    return found.filter(({ requests: [id] }) => id === deletion.id)
  },
}

interface Deletion {
  readonly request: RequestEntry
  readonly model: ModelState
  readonly deleted: readonly Checkpoint[]
  readonly left: readonly Checkpoint[]
}

/** Finds what a request deleted, and what it left. */
function deletionIn(
  request: RequestEntry,
  store: Store,
  earlier: readonly Deletion[],
): Deletion | undefined {
  const [id = ''] = idsIn(request.path)
  const model = store.model(id)
  const { body } = request
  const steps = isRecord(body) ? body['steps'] : undefined
  if (!model || !Array.isArray(steps)) return undefined
  const gone = new Set(
    earlier.flatMap((deletion) => (deletion.model === model ? deletion.deleted : [])),
  )
  const there = model.checkpoints.everMade.filter((made) => {
    return made.createdAt <= request.at && !gone.has(made)
  })
  const isDeleted = ({ step }: Checkpoint): boolean => steps.includes(step)
  const deleted = there.filter(isDeleted)
  if (deleted.length === 0) return undefined
  return { request, model, deleted, left: there.filter((made) => !isDeleted(made)) }
}

function bestIn(
  { request, model, deleted, left }: Deletion,
  metric: string | undefined,
  isMeasured: boolean,
): FoundMistake[] {
  const isValidated = [...deleted, ...left].some(({ metrics }) => metrics.has('val/reward'))
  if (metric === undefined && isMeasured && !isValidated) return []
  const by = metric ?? (isValidated ? 'val/reward' : 'train/reward')
  const best = bestOf(deleted, by)
  const next = bestOf(left, by)
  if (!best || (next && next.value >= best.value)) return []
  // The rewards of a batch are those of the checkpoint that answered, one step before. Step 0 is not trained.
  const before = Math.max(1, best.step - 1)
  if (by === 'train/reward' && left.some(({ step }) => step === before)) return []
  const rest = next
    ? `the best one that is left is step ${next.step} with ${next.value}`
    : `no checkpoint with ${best.metric} is left`
  const text = `${formatRequest(request)} deleted the best checkpoint of ${model.record.name}: step ${best.step} has ${best.metric} ${best.value}, and ${rest}; keep the best one, or name another metric`
  return [{ text, requests: [request.id] }]
}

interface Best {
  readonly step: number
  readonly metric: string
  readonly value: number
}

function bestOf(checkpoints: readonly Checkpoint[], metric: string): Best | undefined {
  let best: Best | undefined
  for (const { step, metrics } of checkpoints) {
    const value = metrics.get(metric)
    if (typeof value !== 'number') continue
    if (!best || value > best.value) best = { step, metric, value }
  }
  return best
}

/** Finds the deletion of the checkpoint that a chat asked for in vain. */
function usedLater(request: RequestEntry, deletions: readonly Deletion[]): FoundMistake[] {
  // Only then a body is read: each deletion looks at all requests.
  if (deletions.length === 0 || !isChatOperation(request.operation)) return []
  const { body } = request
  if (!isRecord(body)) return []
  const named = artifactIn(String(body['model']))
  if (!named?.suffix) return []
  const { entity, project, name, suffix } = named
  const deletion = deletions.find(({ model, deleted }) => {
    const { record } = model
    const isModel = record.entity === entity && record.project === project && record.name === name
    return isModel && deleted.some((checkpoint) => meansCheckpoint(model, { suffix, checkpoint }))
  })
  if (!deletion) return []
  const text = `${formatRequest(deletion.request)} deleted the checkpoint ${suffix} of ${name}, and ${formatRequest(request)} asked for it; delete a checkpoint after its last chat`
  return [{ text, requests: [deletion.request.id, request.id] }]
}
