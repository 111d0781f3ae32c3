import { badMaxTokens, BadField, type ChatParams } from './chat-params.js'
import { promptCharacters, promptTokens } from './prompt.js'
import type { Tokenizer } from './tokenizer.js'

/** The longest token of the encoding: 128 spaces. */
const MOST_CHARACTERS_PER_TOKEN = 128

/** A prompt that fits into the context window. */
export interface Fitting {
  /** The number of tokens of the prompt. */
  prompt: number
  /** The most tokens of each answer. */
  most: number
}

/**
 * Fits a request into the context window of its model. Without `max_tokens`, an answer can have the rest of the
 * window. See docs/contract.md#context-window.
 */
export function fitIntoWindow(
  params: ChatParams,
  window: number,
  tokenizer: Tokenizer,
): Fitting | BadField {
  const { maxTokens, maxTokensParam } = params
  const requested = maxTokens === Infinity ? 0 : maxTokens
  if (requested > window) {
    const message = `${maxTokensParam}=${requested} cannot be greater than max_model_len=max_total_tokens=${window}. Please request fewer output tokens.`
    return BadField.worded(maxTokensParam, message, requested)
  }
  const prompt = promptTokens(params, tokenizer, window - requested)
  if (prompt > window - requested) return tooLong(params, window, requested)
  return prompt === window
    ? badMaxTokens(0)
    : { prompt, most: Math.min(maxTokens, window - prompt) }
}

/** The server stops counting at one token too many, so it says only `at least`. */
function tooLong(params: ChatParams, window: number, requested: number): BadField {
  const room = window - requested
  const most = room * MOST_CHARACTERS_PER_TOKEN
  const characters = promptCharacters(params)
  const isFarTooLong = characters > most
  const contains = isFarTooLong
    ? `${characters} characters (more than ${most} characters, which is the upper bound for ${room} input tokens)`
    : `at least ${room + 1} input tokens, for a total of at least ${window + 1} tokens`
  const message = `This model's maximum context length is ${window} tokens. However, you requested ${requested} output tokens and your prompt contains ${contains}. Please reduce the length of the input prompt or the number of requested output tokens.`
  return isFarTooLong
    ? BadField.worded('input_text', message, characters)
    : BadField.worded('input_tokens', message, room + 1)
}
