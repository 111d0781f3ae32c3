import type { TrajectoryGroup } from '../../contract/trajectory.js'

/** Which answers in a batch have log probabilities. Training needs them: see docs/contract.md#chat-completions. */
export interface LogprobFigures {
  /** Choices in messages, with and without log probabilities. Messages that are no choices do not count. */
  choices_with_logprobs: number
  choices_without_logprobs: number
  /** Captured HTTP calls, with and without log probabilities. */
  exchanges_with_logprobs: number
  exchanges_without_logprobs: number
}

/** Counts the answers of a batch that have log probabilities, and those that do not. */
export function logprobFigures(groups: readonly TrajectoryGroup[]): LogprobFigures {
  const figures: LogprobFigures = {
    choices_with_logprobs: 0,
    choices_without_logprobs: 0,
    exchanges_with_logprobs: 0,
    exchanges_without_logprobs: 0,
  }
  const count = (what: 'choices' | 'exchanges', answers: readonly Answered[]): void => {
    for (const answer of answers) {
      figures[`${what}_${hasLogprobs(answer) ? 'with' : 'without'}_logprobs`]++
    }
  }
  for (const { trajectories = [] } of groups) {
    for (const trajectory of trajectories) {
      const { messages_and_choices: own = [], additional_histories: others = [] } = trajectory
      const histories = [own, ...others.map((history) => history.messages_and_choices)]
      // Only a choice has a message inside. A plain message is one.
      const items = histories.flat() as readonly Answered[]
      count(
        'choices',
        items.filter((item) => typeof item.message === 'object'),
      )
      count('exchanges', responsesIn(trajectory.exchanges))
    }
  }
  return figures
}

/** The places of log probabilities in an answer: a choice, or a response of one of the four wires. */
interface Answered {
  message?: unknown
  logprobs?: unknown
  choices?: unknown
  token_generations?: unknown
}

function responsesIn(exchanges: Readonly<Record<string, unknown>> = {}): Answered[] {
  return Object.values(exchanges).flatMap((wire) => {
    if (!Array.isArray(wire)) return []
    return wire.map((exchange): Answered => Object((Object(exchange) as Exchange).response))
  })
}

interface Exchange {
  response?: unknown
}

function hasLogprobs({ logprobs, choices, token_generations: generations }: Answered): boolean {
  if (Array.isArray(choices)) return choices.every((choice) => hasLogprobs(Object(choice)))
  if (Array.isArray(generations)) return generations.length > 0
  if (Array.isArray(logprobs)) return logprobs.length > 0
  const { content, token_logprobs: values } = Object(logprobs) as Record<string, unknown>
  return [content, values].some((list) => Array.isArray(list) && list.length > 0)
}
