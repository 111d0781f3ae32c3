import { isServed, type Checkpoint } from './jobs/checkpoints.js'
import type { ModelState } from './model.js'
import { didYouMean } from '../text/nearest.js'
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

/** So many models are looked through for a suggestion. */
const MOST_NAMES = 500
const MOST_LISTED = 5

/** What a client may have meant by a name that is not served: the nearest name, else those that are. */
export function servedHint(store: Store, { name, at }: { name: string; at: number }): string {
  const adapters: string[] = []
  for (const { record, checkpoints } of store.modelStates) {
    if (adapters.length === MOST_NAMES) break
    if (!checkpoints.all.some((checkpoint) => isServed(checkpoint, at))) continue
    adapters.push(`${record.entity}/${record.project}/${record.name}`)
  }
  const names = [...store.baseModelIds, ...adapters]
  const written = name.slice(0, 200)
  // Most often the entity and the project are missing.
  const full = names.find((each) => each.endsWith(`/${written}`))
  const hint = full === undefined ? didYouMean(written, names) : ` Did you mean "${full}"?`
  if (hint !== '') return hint.trimStart()
  const listed = names.slice(0, MOST_LISTED).join(', ')
  const more = names.length > MOST_LISTED ? ` and ${names.length - MOST_LISTED} more` : ''
  return `served: ${listed || 'none'}${more}; base_models in the scenario adds others`
}

/** `artifact:///<entity>/<project>/<name>:step<N>`. */
export function artifactName(scheme: string, { record }: ModelState, step: number): string {
  return `${scheme}:///${record.entity}/${record.project}/${record.name}:step${step}`
}
