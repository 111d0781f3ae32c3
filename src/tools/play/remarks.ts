import { counted } from '../../base/text/counted.js'
import { shortened } from '../../base/text/shortened.js'
import { choicesIn, type PlayedChoice } from './submissions.js'

/** The body of a chat request. */
export interface ChatRequest {
  tools?: unknown
  logprobs?: unknown
  [field: string]: unknown
}

const LONGEST = 80

/** Returns remarks on the answers of a rollout, if the request asked for something that the timeline does not show. */
export function remarksOn(
  completions: readonly unknown[],
  { tools, logprobs }: ChatRequest,
): string[] {
  const choices = completions.flatMap(choicesIn)
  return [
    ...(tools === undefined ? [] : choices.map(formatChoice)),
    ...(logprobs === true ? missingLogprobs(choices) : []),
  ]
}

function formatChoice({ message }: PlayedChoice): string {
  const calls = message?.tool_calls
  if (!Array.isArray(calls) || calls.length === 0) {
    return `The model answers in words: ${oneLine(message?.content)}`
  }
  return calls
    .map((call: { function?: { name?: unknown; arguments?: unknown } } | null) => {
      const called = call?.function
      return `The model calls ${String(called?.name)} with ${oneLine(called?.arguments)}`
    })
    .join(' ')
}

function missingLogprobs(choices: readonly PlayedChoice[]): string[] {
  const missing = choices.filter(({ logprobs }) => !logprobs?.content).length
  if (missing === 0) return []
  return [`${missing} of ${counted(choices.length, 'answer')} have no log probabilities.`]
}

function oneLine(value: unknown): string {
  return shortened(String(value).replaceAll(/\s+/g, ' '), LONGEST)
}
