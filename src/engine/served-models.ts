import { isServed, type Checkpoint } from './checkpoints.js'
import type { ModelState } from './model.js'
import type { Store } from './store.js'

/** What the `model` of a chat request stands for. */
export type ServedModel =
  | { kind: 'base'; id: string }
  | { kind: 'adapter'; model: ModelState; checkpoint: Checkpoint }
  /** There, but not served: not yet, if it says from when, or not any more. */
  | { kind: 'unserved'; from: number | undefined }

const ARTIFACT = /^(?:[a-z][a-z0-9+.-]*:\/\/\/?)?([^/:]+)\/([^/:]+)\/([^/:]+)(?::([^/:]+))?$/i
const NUMBERED = /^(step|v)(\d+)$/

/**
 * Finds what a name stands for: a base model's id, or an artifact name with any scheme, two or three
 * slashes or no scheme at all, without a suffix (latest), or with `:stepN`, `:vN` or `:latest`
 * (contract-facts section 9). Undefined where nothing of that name is served.
 */
export function findServedModel(
  store: Store,
  { name, at }: { name: string; at: number },
): ServedModel | undefined {
  if (store.hasBaseModel(name)) return { kind: 'base', id: name }
  const [, entity, project, modelName, suffix = 'latest'] = ARTIFACT.exec(name) ?? []
  if (!entity || !project || !modelName) return undefined
  const model = store.modelNamed({ entity, project, name: modelName })
  const checkpoint = model && checkpointFor(model, { suffix, at })
  if (!checkpoint) return undefined
  if (isServed(checkpoint, at)) return { kind: 'adapter', model, checkpoint }
  const { servedFrom: from = at } = checkpoint
  return { kind: 'unserved', from: from > at ? from : undefined }
}

function checkpointFor(
  { checkpoints, aliases }: ModelState,
  { suffix, at }: { suffix: string; at: number },
): Checkpoint | undefined {
  // The newest that is served: while a newer one is on its way, the one before still answers.
  if (suffix === 'latest') {
    return checkpoints.all.findLast((each) => isServed(each, at)) ?? checkpoints.latest
  }
  const [, form, number] = NUMBERED.exec(suffix) ?? []
  if (form === 'step') return checkpoints.at(Number(number))
  if (form === 'v') return checkpoints.atVersion(Number(number))
  const named = aliases.get(suffix)
  return named && checkpoints.at(named.step) === named ? named : undefined
}

/** `artifact:///<entity>/<project>/<name>:step<N>`. */
export function artifactName(scheme: string, { record }: ModelState, step: number): string {
  return `${scheme}:///${record.entity}/${record.project}/${record.name}:step${step}`
}
