import { BadField } from './bad-field.js'
import type { ChatParams } from './chat-params.js'
import { badMaxTokens } from './chat-problems.js'
import type { Prompt } from './model-tokens.js'

/** A prompt that fits into the context window. */
export interface Fitting {
  prompt: Prompt
  /** The number of tokens of the prompt. */
  length: number
  /** The most tokens of each answer. */
  most: number
}

/**
 * Fits a request into the context window of its model. Without `max_tokens`, an answer can have the rest of the
 * window. See docs/explain/contract.md#context-window.
 */
export function fitIntoWindow(
  params: ChatParams,
  window: number,
  { prompt, mostCharacters }: { prompt: Prompt; mostCharacters: number },
): Fitting | BadField {
  const { maxTokens, maxTokensParam } = params
  const requested = maxTokens === Infinity ? 0 : maxTokens
  if (requested > window) {
    const message = `${maxTokensParam}=${requested} cannot be greater than max_model_len=max_total_tokens=${window}. Please request fewer output tokens.`
    return BadField.worded(maxTokensParam, message, requested)
  }
  const room = window - requested
  const length = prompt.count(room)
  if (length > room) {
    return tooLong(prompt.characters(), { window, requested, most: room * mostCharacters })
  }
  return length === window
    ? badMaxTokens(0)
    : { prompt, length, most: Math.min(maxTokens, window - length) }
}

interface Limits {
  window: number
  requested: number
  /** The most characters that may fit. */
  most: number
}

/** The server stops counting at one token too many, so it says only `at least`. */
function tooLong(characters: number, { window, requested, most }: Limits): BadField {
  const room = window - requested
  const isFarTooLong = characters > most
  const contains = isFarTooLong
    ? `${characters} characters (more than ${most} characters, which is the upper bound for ${room} input tokens)`
    : `at least ${room + 1} input tokens, for a total of at least ${window + 1} tokens`
  const message = `This model's maximum context length is ${window} tokens. However, you requested ${requested} output tokens and your prompt contains ${contains}. Please reduce the length of the input prompt or the number of requested output tokens.`
  return isFarTooLong
    ? BadField.worded('input_text', message, characters)
    : BadField.worded('input_tokens', message, room + 1)
}
