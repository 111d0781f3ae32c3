/** Why an answer to a chat ends, as its `finish_reason` says. */
export const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter'] as const

export type FinishReason = (typeof FINISH_REASONS)[number]
