import { DEFAULT_CONTEXT_WINDOW } from './context-window.js'
import type { Scenario } from './scenario.js'

type Offer = Pick<Scenario, 'base_models'>

/** Returns the ids of the base models that a scenario lists. */
export function baseModelIds({ base_models }: Offer): string[] {
  return base_models.map((each) => (typeof each === 'string' ? each : each.id))
}

/** Returns the most tokens that a prompt and its answer can have together, for a base model. */
export function contextWindowOf(
  { base_models, chat }: Offer & Pick<Scenario, 'chat'>,
  baseModel: string,
): number {
  const { context_window: general = DEFAULT_CONTEXT_WINDOW } = chat
  for (const each of base_models) {
    if (typeof each === 'object' && each.id === baseModel) return each.context_window ?? general
  }
  return general
}

/** Returns the folder with the tokenizer of a base model. Undefined if it uses the built-in encoding. */
export function tokenizerFolderOf({ base_models }: Offer, baseModel: string): string | undefined {
  for (const each of base_models) {
    if (typeof each === 'object' && each.id === baseModel) return each.tokenizer
  }
  return undefined
}
