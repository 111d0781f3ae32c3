import { isServed, type Checkpoint } from './jobs/checkpoints.js'
import type { ModelState } from './model.js'
import { didYouMean } from '../text/nearest.js'
import type { Store } from './store.js'

/** What the `model` of a chat request refers to. */
export type ServedModel =
  | { kind: 'base'; id: string }
  | { kind: 'adapter'; model: ModelState; checkpoint: Checkpoint }
  /** A checkpoint that is not served: not before `from`, or, without `from`, not any more. */
  | { kind: 'unserved'; from: number | undefined }

const ARTIFACT = /^(?:[a-z][a-z0-9+.-]*:\/\/\/?)?([^/:]+)\/([^/:]+)\/([^/:]+)(?::([^/:]+))?$/i
const NUMBERED = /^(step|v)(\d+)$/

/**
 * Finds what a model name refers to: a base model's id, or an artifact name with any scheme, two or three
 * slashes or no scheme at all, without a suffix (latest), or with `:stepN`, `:vN` or `:latest`. See
 * docs/contract.md#model-names.
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
  // The newest checkpoint that is served: until a newer one is loaded, the one before still answers.
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

/** A hint for a name that is not served: the most similar name, or else the names that are served. */
export function servedHint(store: Store, { name, at }: { name: string; at: number }): string {
  const adapters: string[] = []
  for (const { record, checkpoints } of store.modelStates) {
    if (adapters.length === MOST_NAMES) break
    if (!checkpoints.all.some((checkpoint) => isServed(checkpoint, at))) continue
    adapters.push(`${record.entity}/${record.project}/${record.name}`)
  }
  const names = [...store.baseModelIds, ...adapters]
  const written = name.slice(0, 200)
  // Most often the name lacks its entity and project.
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
