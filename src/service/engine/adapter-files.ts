import { rowOf } from '../platform/run-row.js'
import { writeSafetensors, type Tensor } from '../platform/safetensors.js'

/** The type of artifacts that are adapters. */
export const ADAPTER_TYPE = 'lora'

/** The file of an adapter that says what it is. */
export const ADAPTER_CONFIG = 'adapter_config.json'

/** What the emulator reads of the config of an adapter. The library PEFT has the names. */
export interface AdapterConfig {
  readonly base_model_name_or_path?: unknown
  readonly r?: unknown
}

/** Reads the config of an adapter. Undefined if it is not a JSON object. */
export function readAdapterConfig(bytes: Uint8Array): AdapterConfig | undefined {
  return rowOf(new TextDecoder().decode(bytes))
}

const TARGETS = ['q_proj', 'v_proj']
const RANK = 2
const WIDTH = 8

/**
 * Makes the files of an adapter, as clients read them. Its weights are made up, and small.
 *
 * @param unit Draws a number in [0, 1) for the parts of its name.
 */
export function adapterFiles(
  baseModel: string,
  unit: (...parts: readonly [tensor: string, index: number]) => number,
): Record<string, Uint8Array> {
  const tensor = (name: string, shape: readonly [number, number]): Tensor => {
    const length = shape[0] * shape[1]
    return { shape, values: Array.from({ length }, (_, index) => unit(name, index) - 0.5) }
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
    base_model_name_or_path: baseModel,
    bias: 'none',
    inference_mode: true,
    lora_alpha: 2 * RANK,
    lora_dropout: 0,
    peft_type: 'LORA',
    r: RANK,
    target_modules: TARGETS,
    task_type: 'CAUSAL_LM',
  } satisfies AdapterConfig & Record<string, unknown>
  return {
    [ADAPTER_CONFIG]: new TextEncoder().encode(`${JSON.stringify(config, null, 2)}\n`),
    'adapter_model.safetensors': writeSafetensors(tensors, { format: 'pt' }),
  }
}
