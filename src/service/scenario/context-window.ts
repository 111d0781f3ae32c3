/** The context window of models for which the scenario sets none, in tokens. */
export const DEFAULT_CONTEXT_WINDOW = 32_768
