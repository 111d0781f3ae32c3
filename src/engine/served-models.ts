import type { Checkpoint } from './checkpoints.js'
import type { ModelState } from './model.js'
import type { Store } from './store.js'

/** What the `model` of a chat request stands for. */
export type ServedModel =
  { kind: 'base'; id: string } | { kind: 'adapter'; model: ModelState; checkpoint: Checkpoint }

const ARTIFACT = /^(?:[a-z][a-z0-9+.-]*:\/\/\/?)?([^/:]+)\/([^/:]+)\/([^/:]+)(?::([^/:]+))?$/i
const NUMBERED = /^(step|v)(\d+)$/

/**
 * Finds what a name stands for: a base model's id, or an artifact name with any scheme, two or three
 * slashes or no scheme at all, without a suffix (latest), or with `:stepN`, `:vN` or `:latest`
 * (contract-facts section 9). Undefined where nothing of that name is served.
 */
export function findServedModel(store: Store, name: string): ServedModel | undefined {
  if (store.baseModels.findFirst((query) => query.where({ id: name })))
    return { kind: 'base', id: name }
  const [, entity, project, modelName, suffix = 'latest'] = ARTIFACT.exec(name) ?? []
  if (!entity || !project || !modelName) return undefined
  const model = store.modelNamed({ entity, project, name: modelName })
  const checkpoint = model && checkpointFor(model, suffix)
  return model && checkpoint && { kind: 'adapter', model, checkpoint }
}

function checkpointFor({ checkpoints }: ModelState, suffix: string): Checkpoint | undefined {
  if (suffix === 'latest') return checkpoints.latest
  const [, form, number] = NUMBERED.exec(suffix) ?? []
  if (form === 'step') return checkpoints.at(Number(number))
  if (form === 'v') return checkpoints.atVersion(Number(number))
  return undefined
}

/** `artifact:///<entity>/<project>/<name>:step<N>`. */
export function artifactName(scheme: string, { record }: ModelState, step: number): string {
  return `${scheme}:///${record.entity}/${record.project}/${record.name}:step${step}`
}
