import type { Store } from '../engine/store.js'

interface Given {
  /** The parameters of the path. */
  given: Readonly<Record<string, string>>
  /** The body as it came, unchecked. */
  body: unknown
}

/** The name of the model that a request is about: by its id, by its job, or as it stands there. */
export function modelNamedBy(store: Store, { given, body }: Given): string | undefined {
  const { model_id: inPath, training_job_id: jobId } = given
  if (jobId !== undefined) return store.jobs.get(jobId)?.model.name
  const { model_id: inBody, model, name } = Object(body) as Record<string, unknown>
  const id = inPath ?? inBody
  if (typeof id === 'string') return store.model(id.toLowerCase())?.record.name
  if (typeof model === 'string') return lastPart(model)
  return typeof name === 'string' ? name : undefined
}

/** `artifact:///team/project/poet:step3` → `poet`; a base model's id stays as it is. */
function lastPart(served: string): string {
  const [, name] = /^(?:[a-z][a-z0-9+.-]*:\/\/\/?)?[^/:]+\/[^/:]+\/([^/:]+)/i.exec(served) ?? []
  return name ?? served
}
