import { MOST_STEPS } from '../../scenario/most-steps.js'
import { batchSizeOf, type SftConfig } from './sft-config.js'
import type { TrainingData } from './training-data.js'

/** The number of examples in an artifact of a job without a list of learning rates. */
const ASSUMED_EXAMPLES = 8

/** The number of examples that an artifact probably has: a client sends one learning rate for each batch of its data. */
export function assumedExamples(config: SftConfig): number {
  const { learning_rate: rates } = config ?? {}
  if (!Array.isArray(rates) || rates.length === 0) return ASSUMED_EXAMPLES
  // A list of a million rates must not make a job of a billion examples.
  return Math.min(MOST_STEPS, rates.length * batchSizeOf(config))
}

/** Returns assumed figures for an artifact, because the emulator cannot open it. */
export function assumedData(url: string, lines: number): TrainingData {
  const tokens = lines * ASSUMED_TOKENS_PER_LINE
  return { lines, dropped: 0, tokens, trainableTokens: tokens / 2, digest: url }
}

const ASSUMED_TOKENS_PER_LINE = 256
