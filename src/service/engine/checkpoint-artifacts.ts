import type { SeededRandom } from '../../base/random/random.js'
import type { Artifact } from '../platform/artifact.js'
import type { Platform } from '../platform/platform.js'
import { PlatformError } from '../platform/platform-error.js'
import { putArtifact } from '../platform/put-artifact.js'
import { writeSafetensors, type Tensor } from '../platform/safetensors.js'
import { LOCAL_ACCOUNT } from '../scenario/account.js'
import type { Checkpoint } from './jobs/checkpoints.js'
import type { Journal } from './journal.js'
import type { ModelState } from './model.js'
import { savedMirrors } from './platform/saved-mirrors.js'
import type { Changes } from './saved/changes.js'
import type { Store } from './store.js'

/** The type of artifacts that are adapters. */
export const ADAPTER_TYPE = 'lora'

interface MirroredWorld {
  readonly store: Store
  readonly random: SeededRandom
  readonly journal: Journal
  readonly changes: Changes
}

interface MadeCheckpoint {
  readonly model: ModelState
  readonly checkpoint: Checkpoint
}

/**
 * Shows the checkpoints of the models as artifacts: in the project of their model, in a collection with its name. They
 * are made when a client asks for artifacts, because most clients never do.
 */
export class CheckpointArtifacts {
  readonly #world: MirroredWorld
  readonly #platform: Platform
  /** The artifact of each checkpoint. Undefined if it cannot be one. */
  readonly #artifacts = new Map<Pick<Checkpoint, 'id'>, Artifact | undefined>()
  /** The checkpoint of each artifact, and its model. */
  readonly #made = new WeakMap<Artifact, MadeCheckpoint>()
  /** How many checkpoints of each model were looked at. */
  readonly #seen = new WeakMap<ModelState, number>()

  constructor(world: MirroredWorld, platform: Platform) {
    this.#world = world
    this.#platform = platform
  }

  /** How many artifacts there are that are checkpoints. */
  get count(): number {
    let count = 0
    for (const artifact of this.#artifacts.values()) if (artifact) count++
    return count
  }

  /** The checkpoint that an artifact is. */
  checkpointOf(artifact: Artifact): MadeCheckpoint | undefined {
    return this.#made.get(artifact)
  }

  /** Brings the artifacts up to date with the checkpoints. */
  update(): void {
    const existing = new Set<Pick<Checkpoint, 'id'>>()
    for (const model of this.#world.store.modelStates) {
      const { everMade, all } = model.checkpoints
      for (const checkpoint of all) existing.add(checkpoint)
      for (const checkpoint of everMade.slice(this.seenOf(model))) {
        const artifact = this.#put(model, checkpoint)
        this.#artifacts.set(checkpoint, artifact)
        if (artifact) this.#made.set(artifact, { model, checkpoint })
      }
      this.#see(model, everMade.length)
      this.#addAliases(model)
    }
    for (const [checkpoint, artifact] of this.#artifacts) {
      if (existing.has(checkpoint)) continue
      this.#artifacts.delete(checkpoint)
      if (artifact) this.#platform.artifacts.delete(artifact, { withAliases: true }, AUTHOR)
    }
  }

  #see(model: ModelState, seen: number): void {
    if (this.seenOf(model) === seen) return
    this.#seen.set(model, seen)
    this.#world.changes.changed(savedMirrors, model.record.id, model)
  }

  /** How many checkpoints of a model were looked at. */
  seenOf(model: ModelState): number {
    return this.#seen.get(model) ?? 0
  }

  /** Continues after the first `seen` checkpoints of a model of a saved world. */
  restoreSeen(model: ModelState, seen: number): void {
    this.#seen.set(model, seen)
  }

  /** Finds the artifacts of a saved world that are checkpoints. The next update deletes those without a checkpoint. */
  restoreArtifacts(artifacts: Iterable<Artifact>): void {
    const checkpoints = [...this.#world.store.modelStates].flatMap((model) =>
      model.checkpoints.all.map((checkpoint) => ({ model, checkpoint })),
    )
    const byId = new Map(checkpoints.map((made) => [made.checkpoint.id, made]))
    for (const artifact of artifacts) {
      const { checkpoint: id, state } = artifact
      if (id === undefined) continue
      const made = byId.get(id)
      if (made) this.#made.set(artifact, made)
      if (made || state !== 'DELETED') this.#artifacts.set(made?.checkpoint ?? { id }, artifact)
    }
  }

  #put(model: ModelState, checkpoint: Checkpoint): Artifact | undefined {
    const { entity, project, name, base_model } = model.record
    const { step, createdAt, metrics } = checkpoint
    const place = { entity, project, collection: name, type: ADAPTER_TYPE }
    const metadata = JSON.stringify({ base_model, step, ...Object.fromEntries(metrics) })
    const facts = { metadata, aliases: [`step${step}`], createdAt, checkpoint: checkpoint.id }
    try {
      const files = this.#files(model, checkpoint)
      return putArtifact(this.#platform, place, { files, ...facts }, AUTHOR)
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      this.#world.journal.note(`${name}: checkpoint ${step} is not an artifact: ${error.message}`)
      return undefined
    }
  }

  /** The files of an adapter, as clients read them. Its weights are made up, and small. */
  #files(model: ModelState, { id }: Checkpoint): Record<string, Uint8Array> {
    const { base_model } = model.record
    const tensor = (name: string, shape: readonly [number, number]): Tensor => {
      const values = Array.from(
        { length: shape[0] * shape[1] },
        (_, index) => this.#world.random.unit('adapter', id, name, index) - 0.5,
      )
      return { shape, values }
    }
    const tensors = Object.fromEntries(
      TARGETS.flatMap((target) => {
        const prefix = `base_model.model.model.layers.0.self_attn.${target}`
        return [
          [`${prefix}.lora_A.weight`, tensor(`${target} A`, [RANK, WIDTH])],
          [`${prefix}.lora_B.weight`, tensor(`${target} B`, [WIDTH, RANK])],
        ]
      }),
    )
    const config = {
      base_model_name_or_path: base_model,
      bias: 'none',
      inference_mode: true,
      lora_alpha: 2 * RANK,
      lora_dropout: 0,
      peft_type: 'LORA',
      r: RANK,
      target_modules: TARGETS,
      task_type: 'CAUSAL_LM',
    }
    return {
      'adapter_config.json': new TextEncoder().encode(`${JSON.stringify(config, null, 2)}\n`),
      'adapter_model.safetensors': writeSafetensors(tensors, { format: 'pt' }),
    }
  }

  #addAliases({ aliases }: ModelState): void {
    for (const [alias, checkpoint] of aliases) {
      const version = this.#artifacts.get(checkpoint)?.version
      if (version && !version.aliases.has(alias)) {
        this.#platform.artifacts.addAliases(version, [alias], AUTHOR)
      }
    }
  }
}

const AUTHOR = { user: LOCAL_ACCOUNT.user }

const TARGETS = ['q_proj', 'v_proj']
const RANK = 2
const WIDTH = 8
