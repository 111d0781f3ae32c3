import { isServed, type Checkpoint } from './jobs/checkpoints.js'
import type { ModelState } from './model.js'
import { LATEST } from '../platform/collection.js'
import type { Scenario } from '../scenario/scenario.js'
import type { Store } from './store.js'

/** What the `model` of a chat request refers to. */
export type ServedModel =
  | { kind: 'base'; id: string }
  | { kind: 'adapter'; model: ModelState; checkpoint: Checkpoint }
  /** A checkpoint that is not served. `from` is when it will be. Undefined if it is no longer served. */
  | { kind: 'unserved'; model: ModelState; from: number | undefined }

const ARTIFACT = /^(?:[a-z][a-z0-9+.-]*:\/\/\/?)?([^/:]+)\/([^/:]+)\/([^/:]+)(?::([^/:]+))?$/i
export const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i
export const NUMBERED = /^(step|v)(\d+)$/

/**
 * Finds what a model name refers to: the id of a base model, or the name of an artifact. The name may begin with
 * any scheme, followed by `://` or `:///`, and may end with `:stepN`, `:vN`, `:latest` or an alias. Without such
 * an end it refers to the latest checkpoint. See docs/explain/contract.md#model-names.
 *
 * @returns Undefined if there is no such model or checkpoint.
 */
export function findServedModel(
  { store, scenario }: { store: Store; scenario: Pick<Scenario, 'chat'> },
  { name, at }: { name: string; at: number },
): ServedModel | undefined {
  if (store.servesBaseModel(name)) return { kind: 'base', id: name }
  const adapter = findAdapter(store, { name, at })
  if (adapter || !scenario.chat.serve_any_model || isArtifactName(store, name)) return adapter
  return { kind: 'base', id: name }
}

/** The entity in the name of an artifact. Undefined if the name has another form. */
export function entityIn(name: string): string | undefined {
  return artifactIn(name)?.entity
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

/**
 * Whether a name can only mean a trained model: it has a scheme, or it begins with the entity and the project of
 * an existing model. With `serve_any_model`, a typo in such a name is still refused.
 */
export function isArtifactName(store: Store, name: string): boolean {
  if (SCHEME.test(name)) return true
  const named = artifactIn(name)
  if (!named) return false
  for (const { record } of store.modelStates) {
    if (record.entity === named.entity && record.project === named.project) return true
  }
  return false
}

function findAdapter(
  store: Store,
  { name, at }: { name: string; at: number },
): ServedModel | undefined {
  const named = artifactIn(name)
  const model = named && store.modelNamed(named)
  const checkpoint = model && checkpointFor(model, { suffix: named.suffix ?? LATEST, at })
  if (!checkpoint) return undefined
  if (isServed(checkpoint, at)) return { kind: 'adapter', model, checkpoint }
  const { servedFrom: from = at } = checkpoint
  return { kind: 'unserved', model, from: from > at ? from : undefined }
}

export function checkpointFor(
  { checkpoints, aliases }: ModelState,
  { suffix, at }: { suffix: string; at: number },
): Checkpoint | undefined {
  // The newest checkpoint that is served. The one before answers until a newer one is loaded.
  if (suffix === LATEST) {
    return checkpoints.all.findLast((each) => isServed(each, at)) ?? checkpoints.latest
  }
  const [, form, number] = NUMBERED.exec(suffix) ?? []
  if (form === 'step') return checkpoints.at(Number(number))
  if (form === 'v') return checkpoints.atVersion(Number(number))
  const named = aliases.get(suffix)
  return named && checkpoints.at(named.step) === named ? named : undefined
}

/** Whether what follows the name of a model means that checkpoint, which may be deleted: its step, its version or its alias. */
export function meansCheckpoint(
  { checkpoints, aliases }: ModelState,
  { suffix, checkpoint }: { suffix: string; checkpoint: Checkpoint },
): boolean {
  const { step } = checkpoint
  const names = [`step${step}`, `v${checkpoints.versionOf(checkpoint)}`]
  return names.includes(suffix) || aliases.get(suffix) === checkpoint
}

/** Returns `artifact:///<entity>/<project>/<name>:step<N>`. */
export function artifactName(scheme: string, { record }: ModelState, step: number): string {
  return `${scheme}:///${record.entity}/${record.project}/${record.name}:step${step}`
}
