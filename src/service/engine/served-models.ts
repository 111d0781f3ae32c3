import { isServed, type Checkpoint } from './jobs/checkpoints.js'
import type { ModelState } from './model.js'
import type { Scenario } from '../scenario/scenario.js'
import { didYouMean } from '../../base/text/nearest.js'
import type { Store } from './store.js'

/** What the `model` of a chat request refers to. */
export type ServedModel =
  | { kind: 'base'; id: string }
  | { kind: 'adapter'; model: ModelState; checkpoint: Checkpoint }
  /** A checkpoint that is not served. `from` is when it will be. Undefined if it is no longer served. */
  | { kind: 'unserved'; model: ModelState; from: number | undefined }

const ARTIFACT = /^(?:[a-z][a-z0-9+.-]*:\/\/\/?)?([^/:]+)\/([^/:]+)\/([^/:]+)(?::([^/:]+))?$/i
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i
const NUMBERED = /^(step|v)(\d+)$/

/**
 * Finds what a model name refers to: the id of a base model, or the name of an artifact. The name may begin with
 * any scheme, followed by `://` or `:///`, and may end with `:stepN`, `:vN`, `:latest` or an alias. Without such
 * an end it refers to the latest checkpoint. See docs/explain/contract.md#model-names.
 *
 * @returns Undefined if there is no such model or checkpoint.
 */
export function findServedModel(
  { store, scenario }: Serving,
  { name, at }: { name: string; at: number },
): ServedModel | undefined {
  if (store.servesBaseModel(name)) return { kind: 'base', id: name }
  const adapter = findAdapter(store, { name, at })
  if (adapter || !scenario.chat.serve_any_model || isArtifactName(store, name)) return adapter
  return { kind: 'base', id: name }
}

/** The entity in the name of an artifact. Undefined if the name has another form. */
export function entityIn(name: string): string | undefined {
  return ARTIFACT.exec(name)?.[1]
}

/** The parts of the name of an artifact. Undefined if the name has another form. */
export function artifactIn(name: string): ArtifactParts | undefined {
  const [, entity, project, model, suffix] = ARTIFACT.exec(name) ?? []
  return entity && project && model ? { entity, project, name: model, suffix } : undefined
}

export interface ArtifactParts {
  readonly entity: string
  readonly project: string
  readonly name: string
  /** What follows the name: `step3`, `latest` or an alias. */
  readonly suffix: string | undefined
}

/** The parts of an engine that decide which models are served. */
interface Serving {
  readonly store: Store
  readonly scenario: Pick<Scenario, 'chat'>
}

/**
 * Whether a name can only mean a trained model: it has a scheme, or it begins with the entity and the project of
 * an existing model. With `serve_any_model`, a typo in such a name is still refused.
 */
function isArtifactName(store: Store, name: string): boolean {
  if (SCHEME.test(name)) return true
  const [, entity, project] = ARTIFACT.exec(name) ?? []
  if (!entity || !project) return false
  for (const { record } of store.modelStates) {
    if (record.entity === entity && record.project === project) return true
  }
  return false
}

function findAdapter(
  store: Store,
  { name, at }: { name: string; at: number },
): ServedModel | undefined {
  const [, entity, project, modelName, suffix = 'latest'] = ARTIFACT.exec(name) ?? []
  if (!entity || !project || !modelName) return undefined
  const model = store.modelNamed({ entity, project, name: modelName })
  const checkpoint = model && checkpointFor(model, { suffix, at })
  if (!checkpoint) return undefined
  if (isServed(checkpoint, at)) return { kind: 'adapter', model, checkpoint }
  const { servedFrom: from = at } = checkpoint
  return { kind: 'unserved', model, from: from > at ? from : undefined }
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
const OTHER_ARTIFACTS = 'create the model first'
const OTHER_NAMES =
  'base_models in the scenario adds a base model, and --serve-any-model answers any name'

/**
 * Returns a hint for a name that is not served: the checkpoints of the model that it names, the most similar
 * name, or a list of names that are served.
 */
export function servedHint(store: Store, { name, at }: { name: string; at: number }): string {
  const artifact = artifactIn(name)
  const model = artifact && store.modelNamed(artifact)
  if (model) {
    const suffix = (artifact.suffix ?? 'latest').slice(0, 200)
    const known = suffixesOf(model, at)
    const meant = NUMBERED.test(suffix) ? '' : didYouMean(suffix, known)
    return `${artifact.name} has no checkpoint ${suffix}.${meant || ` It has ${listed(known)}.`}`
  }
  const adapters: string[] = []
  for (const { record, checkpoints } of store.modelStates) {
    if (adapters.length === MOST_NAMES) break
    if (!checkpoints.all.some((checkpoint) => isServed(checkpoint, at))) continue
    adapters.push(`${record.entity}/${record.project}/${record.name}`)
  }
  const names = [...store.servedBaseModels, ...adapters]
  const path = artifact ? `${artifact.entity}/${artifact.project}/${artifact.name}` : name
  const written = path.slice(0, 200)
  // Usually the entity and the project are missing.
  const full = names.find((each) => each.endsWith(`/${written}`))
  const hint = full === undefined ? didYouMean(written, names) : ` Did you mean "${full}"?`
  if (hint !== '') return hint.trimStart()
  return `served: ${listed(names)}; ${isArtifactName(store, name) ? OTHER_ARTIFACTS : OTHER_NAMES}`
}

/** What may follow the name of a model, besides `vN`. */
function suffixesOf(model: ModelState, at: number): string[] {
  const steps = model.checkpoints.all.map(({ step }) => `step${step}`).reverse()
  return ['latest', ...model.aliases.keys(), ...steps].filter((suffix) => {
    return checkpointFor(model, { suffix, at })
  })
}

function listed(names: readonly string[]): string {
  const more = names.length > MOST_LISTED ? ` and ${names.length - MOST_LISTED} more` : ''
  return `${names.slice(0, MOST_LISTED).join(', ') || 'none'}${more}`
}

/** Returns `artifact:///<entity>/<project>/<name>:step<N>`. */
export function artifactName(scheme: string, { record }: ModelState, step: number): string {
  return `${scheme}:///${record.entity}/${record.project}/${record.name}:step${step}`
}
