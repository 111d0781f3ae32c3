/**
 * The base models that the documentation of the service offers for training, with their context windows. Source: its
 * page about available models, in November 2026. It gives the windows in thousands.
 */
export const DOCUMENTED_BASE_MODELS = [
  { id: 'google/gemma-4-26B-A4B-it', contextWindow: 262_144 },
  { id: 'meta-llama/Llama-3.1-8B-Instruct', contextWindow: 131_072 },
  { id: 'nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B', contextWindow: 262_144 },
  { id: 'OpenPipe/Qwen3-14B-Instruct', contextWindow: 32_768 },
  { id: 'Qwen/Qwen3-30B-A3B-Instruct-2507', contextWindow: 262_144 },
] as const
