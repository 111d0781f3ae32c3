import { jobCreations } from '../../service/contract/operation-names.js'
import { fieldsOf, isAccepted, textIn, type Exchange } from './exchanges.js'
import { JobDraft } from './job-draft.js'
import type { KnownJob, SeenJob, SeenModel } from './seen-job.js'

/** Returns the models of a recording, by id. */
export function modelsIn(exchanges: readonly Exchange[]): Map<string, SeenModel> {
  const models = new Map<string, SeenModel>()
  for (const exchange of exchanges) {
    if (exchange.operation !== 'createModel' || !isAccepted(exchange)) continue
    const { id, project, name, base_model: baseModel } = fieldsOf(exchange.received)
    if (typeof id !== 'string' || typeof name !== 'string') continue
    const texts = { project: textIn(project) ?? '', baseModel: textIn(baseModel) ?? '' }
    models.set(id, { id, name, ...texts })
  }
  return models
}

/**
 * Returns the jobs of a recording, in the order in which a client first saw them. What the emulator knows about a job
 * counts more than what calls show.
 */
export function jobsIn(
  exchanges: readonly Exchange[],
  models: ReadonlyMap<string, SeenModel>,
  run: readonly KnownJob[],
): SeenJob[] {
  const drafts = new Map<string, JobDraft>()
  for (const exchange of exchanges) {
    const { operation = '', received, params } = exchange
    const isCreation = jobCreations.includes(operation)
    const id = isCreation ? textIn(fieldsOf(received)['id']) : params['training_job_id']
    if (!isAccepted(exchange) || id === undefined) continue
    const draft = drafts.get(id) ?? new JobDraft(id, exchange)
    drafts.set(id, draft)
    if (operation === 'listTrainingJobEvents') draft.takeEvents(exchange)
    else if (isCreation) draft.takeCreation(exchange)
    else if (operation === 'getTrainingJob') draft.takeRecord(exchange)
  }
  const ordinals = new Map<string, number>()
  const seen = [...drafts.values()].map((draft) => {
    const { modelId = '' } = draft
    const ordinal = (ordinals.get(modelId) ?? 0) + 1
    ordinals.set(modelId, ordinal)
    return draft.job(models.get(modelId), ordinal)
  })
  const known = run.map(({ creationId, ...job }) => ({
    ...job,
    model: models.get(job.model.id) ?? job.model,
    creation: exchanges.find(({ id }) => id === creationId),
    polls: seen.find(({ id }) => id === job.id)?.polls ?? [],
    losses: [],
  }))
  const others = seen.filter(({ id }) => !known.some((job) => job.id === id))
  return [...others, ...known].sort((one, other) => one.createdAt - other.createdAt)
}
