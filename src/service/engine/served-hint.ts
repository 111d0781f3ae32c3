import { firstOf } from '../../base/text/counted.js'
import { didYouMean } from '../../base/text/nearest.js'
import { isServed } from './jobs/checkpoints.js'
import type { ModelState } from './model.js'
import { LATEST } from '../platform/collection.js'
import { artifactIn, checkpointFor, isArtifactName, NUMBERED, SCHEME } from './served-models.js'
import type { Store } from './store.js'

/** The most models that are compared for a suggestion. */
const MOST_NAMES = 500
const MOST_LISTED = 5
const OTHER_ARTIFACTS = 'create the model first'
const OTHER_NAMES =
  'base_models in the scenario adds a base model, and --serve-any-model answers any name'

/**
 * Returns a hint for a name that is not served: what the model that it names has, the most similar name, or a
 * list of names that are served.
 */
export function servedHint(store: Store, { name, at }: { name: string; at: number }): string {
  const artifact = artifactIn(name)
  const model = artifact && store.modelNamed(artifact)
  if (model) return checkpointHint(model, { suffix: artifact.suffix, at })
  const adapters: string[] = []
  for (const { record, checkpoints } of store.modelStates) {
    if (!checkpoints.all.some((checkpoint) => isServed(checkpoint, at))) continue
    adapters.push(`${record.entity}/${record.project}/${record.name}`)
  }
  const names = [...store.servedBaseModels, ...adapters]
  const written = name
    .replace(SCHEME, '')
    .replace(/^\//, '')
    .replace(/:[^/:]*$/, '')
    .slice(0, 200)
  // Usually the entity and the project are missing, or are those of another team.
  const isArtifact = isArtifactName(store, name)
  const parts = written.split('/')
  const ends = parts
    .slice(0, isArtifact ? undefined : 1)
    .map((_, from) => parts.slice(from).join('/'))
  const full = ends.flatMap((end) => names.find((each) => each.endsWith(`/${end}`)) ?? [])[0]
  const hint =
    full === undefined
      ? nearestName(written, names.slice(0, MOST_NAMES))
      : ` Did you mean "${full}"?`
  if (hint !== '') return hint.trimStart()
  return `served: ${listed(names)}; ${isArtifact ? OTHER_ARTIFACTS : OTHER_NAMES}`
}

/** Compares as many last parts of each name as were written. */
function nearestName(written: string, names: readonly string[]): string {
  const length = written.split('/').length
  const ends = names.map((each) => each.split('/').slice(-length).join('/'))
  return didYouMean(written, ends, (end) => `"${names[ends.indexOf(end)]}"`)
}

function checkpointHint(
  model: ModelState,
  { suffix = LATEST, at }: { suffix: string | undefined; at: number },
): string {
  const { record, checkpoints, aliases } = model
  const isThere = (each: string): boolean =>
    checkpointFor(model, { suffix: each, at }) !== undefined
  if (isThere(suffix)) return `the key of this call may not use models of ${record.entity}`
  const steps = checkpoints.all.map(({ step }) => `step${step}`).reverse()
  const known = [LATEST, ...aliases.keys(), ...steps].filter(isThere)
  const written = suffix.slice(0, 200)
  const meant = NUMBERED.test(written) ? '' : didYouMean(written, known)
  return `${record.name} has no checkpoint ${written}.${meant || ` It has ${listed(known)}.`}`
}

function listed(names: readonly string[]): string {
  return firstOf(names, MOST_LISTED) || 'none'
}
