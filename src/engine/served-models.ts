import { isServed, type Checkpoint } from './jobs/checkpoints.js'
import type { ModelState } from './model.js'
import { didYouMean } from '../text/nearest.js'
import type { Store } from './store.js'

/** What the `model` of a chat request refers to. */
export type ServedModel =
  | { kind: 'base'; id: string }
  | { kind: 'adapter'; model: ModelState; checkpoint: Checkpoint }
  /** A checkpoint that is not served. `from` is when it will be. Undefined if it is no longer served. */
  | { kind: 'unserved'; from: number | undefined }

const ARTIFACT = /^(?:[a-z][a-z0-9+.-]*:\/\/\/?)?([^/:]+)\/([^/:]+)\/([^/:]+)(?::([^/:]+))?$/i
const NUMBERED = /^(step|v)(\d+)$/

/**
 * Finds what a model name refers to: the id of a base model, or the name of an artifact. The name may begin with
 * any scheme, followed by `://` or `:///`, and may end with `:stepN`, `:vN`, `:latest` or an alias. Without such
 * an end it refers to the latest checkpoint. See docs/contract.md#model-names.
 *
 * @returns Undefined if there is no such model or checkpoint.
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
  // The newest checkpoint that is served. The one before answers until a newer one is loaded.
  if (suffix === 'latest') {
    return checkpoints.all.findLast((each) => isServed(each, at)) ?? checkpoints.latest
  }
  const [, form, number] = NUMBERED.exec(suffix) ?? []
  if (form === 'step') return checkpoints.at(Number(number))
  if (form === 'v') return checkpoints.atVersion(Number(number))
  const named = aliases.get(suffix)
  return named && checkpoints.at(named.step) === named ? named : undefined
}

/** The most models that are compared for a suggestion. */
const MOST_NAMES = 500
const MOST_LISTED = 5

/** Returns a hint for a name that is not served: the most similar name, or a list of names that are served. */
export function servedHint(store: Store, { name, at }: { name: string; at: number }): string {
  const adapters: string[] = []
  for (const { record, checkpoints } of store.modelStates) {
    if (adapters.length === MOST_NAMES) break
    if (!checkpoints.all.some((checkpoint) => isServed(checkpoint, at))) continue
    adapters.push(`${record.entity}/${record.project}/${record.name}`)
  }
  const names = [...store.baseModelIds, ...adapters]
  const written = name.slice(0, 200)
  // Usually the entity and the project are missing.
  const full = names.find((each) => each.endsWith(`/${written}`))
  const hint = full === undefined ? didYouMean(written, names) : ` Did you mean "${full}"?`
  if (hint !== '') return hint.trimStart()
  const listed = names.slice(0, MOST_LISTED).join(', ')
  const more = names.length > MOST_LISTED ? ` and ${names.length - MOST_LISTED} more` : ''
  return `served: ${listed || 'none'}${more}; base_models in the scenario adds others`
}

/** Returns `artifact:///<entity>/<project>/<name>:step<N>`. */
export function artifactName(scheme: string, { record }: ModelState, step: number): string {
  return `${scheme}:///${record.entity}/${record.project}/${record.name}:step${step}`
}
