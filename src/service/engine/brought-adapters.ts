import { BASE_MODEL_KEYS } from '../../base/text/vendor/platform-names.js'
import type { Artifact } from '../platform/artifact.js'
import { LATEST } from '../platform/collection.js'
import type { Platform } from '../platform/platform.js'
import { rowOf } from '../platform/run-row.js'
import { PlatformError } from '../platform/platform-error.js'
import {
  ADAPTER_CONFIG,
  ADAPTER_TYPE,
  readAdapterConfig,
  type AdapterConfig,
} from './adapter-files.js'
import type { CheckpointArtifacts } from './checkpoint-artifacts.js'
import { artifactIn } from './served-models.js'

/** The greatest rank of an adapter that the service serves. */
export const HIGHEST_RANK = 16

/** An adapter that a user logged as an artifact: it answers as its base model. */
export interface BroughtAdapter {
  /** The id of its base model. Undefined if neither its metadata nor its config names one. */
  readonly baseModel: string | undefined
  /** Undefined if its config does not have it. */
  readonly rank: number | undefined
  /** Why its config cannot be read. Undefined if it can. */
  readonly problem?: string | undefined
}

/** Finds the adapter that a name such as `artifact:///team/project/adapter:v0` means. Undefined if it means none. */
export function findBroughtAdapter(
  world: {
    platformWithCheckpoints: () => Platform
    checkpointArtifacts: Pick<CheckpointArtifacts, 'hasOthers'>
  },
  named: string,
): BroughtAdapter | undefined {
  const parts = world.checkpointArtifacts.hasOthers ? artifactIn(named) : undefined
  if (!parts) return undefined
  const { entity, project, name, suffix = LATEST } = parts
  const { projects, artifacts } = world.platformWithCheckpoints()
  const collection = projects.collectionNamed(entity, project, name)
  const artifact = collection?.type === ADAPTER_TYPE ? collection.find(suffix)?.artifact : undefined
  if (!artifact) return undefined
  const { config, problem } = configOf(artifacts, artifact)
  const metadata = rowOf(artifact.metadata) ?? {}
  const bases = [...BASE_MODEL_KEYS.map((key) => metadata[key]), config.base_model_name_or_path]
  return {
    baseModel: bases.find((each) => typeof each === 'string'),
    rank: typeof config.r === 'number' ? config.r : undefined,
    problem,
  }
}

/** Says why the service does not serve an adapter. Undefined if it does. */
export function refusalOf(
  { baseModel, rank, problem }: BroughtAdapter,
  serves: (baseModel: string) => boolean,
): string | undefined {
  if (problem !== undefined) return problem
  if (baseModel === undefined) {
    return 'the adapter names no base model: add base_model to the metadata of its artifact'
  }
  if (!serves(baseModel)) return `the adapter has the base model ${baseModel}, which is not served`
  return rank !== undefined && rank > HIGHEST_RANK
    ? `the adapter has the rank ${rank}, and the service serves up to ${HIGHEST_RANK}`
    : undefined
}

function configOf(
  artifacts: Platform['artifacts'],
  artifact: Artifact,
): { config: AdapterConfig; problem?: string } {
  try {
    const bytes = artifacts.contents.read(artifact, ADAPTER_CONFIG)
    const config = bytes ? readAdapterConfig(bytes) : {}
    return config ? { config } : { config: {}, problem: `${ADAPTER_CONFIG} is not a JSON object` }
  } catch (error) {
    if (error instanceof PlatformError) return { config: {}, problem: error.message }
    throw error
  }
}
