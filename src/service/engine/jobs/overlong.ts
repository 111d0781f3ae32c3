import { isRecord } from '../../contract/pydantic/record.js'
import type { Trajectory, TrajectoryGroup } from '../../contract/trajectory.js'
import type { ChatMessage } from '../../scenario/chat-facts.js'
import type { RlRules } from '../../scenario/scenario.js'
import type { CountTokens, Conversation } from '../chat/prompt.js'
import type { RlConfig } from './rl-config.js'
import { rlSubmission, type SubmittedJob } from './submission.js'

interface RlWorld {
  readonly scenario: { readonly rl: RlRules }
  readonly chat: { tokenCounter(baseModel: string): Promise<CountTokens> }
}

/** What an RL job trains on, and how many trajectories were too long for it. */
export interface TrainedGroups {
  readonly groups: readonly TrajectoryGroup[]
  readonly submitted: SubmittedJob
  /** The number of trajectories that were dropped. */
  readonly dropped: number
}

/**
 * Makes the submission of an RL job, without the trajectories that have more tokens than `rl.most_tokens` allows. It
 * is a promise only if the scenario has such a limit, because to count tokens takes a library.
 */
export function submitGroups(
  { scenario: { rl }, chat }: RlWorld,
  groups: readonly TrajectoryGroup[],
  { config, baseModel }: { config: RlConfig; baseModel: string },
): TrainedGroups | Promise<TrainedGroups> {
  const { most_tokens: most } = rl
  if (most === undefined) {
    return { groups, submitted: rlSubmission(groups, config, { rules: rl }), dropped: 0 }
  }
  return chat.tokenCounter(baseModel).then((count) => {
    let dropped = 0
    const trained = groups.map((group) => {
      const { trajectories = [] } = group
      const short = trajectories.filter((each) => !isOverlong(each, most, count))
      dropped += trajectories.length - short.length
      return { ...group, trajectories: short }
    })
    const submitted = rlSubmission(trained, config, { rules: rl, dropped })
    return { groups: trained, submitted, dropped }
  })
}

/** Whether a conversation of a trajectory has too many tokens. */
function isOverlong(trajectory: Trajectory, most: number, count: CountTokens): boolean {
  const histories = [trajectory, ...(trajectory.additional_histories ?? [])]
  return (
    histories.some((history) => count(conversationOf(history), most) > most) ||
    lengthsOf(trajectory.exchanges).some((length) => length > most)
  )
}

function conversationOf({
  messages_and_choices: items = [],
  tools,
}: Pick<Trajectory, 'messages_and_choices' | 'tools'>): Conversation {
  const messages = items.map((item) => {
    const { message } = item as { message?: unknown }
    return (isRecord(message) ? message : item) as ChatMessage
  })
  return { messages, body: { tools } }
}

/** The tokens of captured HTTP calls, as far as their responses say how many they have. */
function lengthsOf(captured: Trajectory['exchanges']): number[] {
  const calls = Object.values(captured ?? {}).flatMap((each) => (Array.isArray(each) ? each : []))
  return calls.map((call: unknown) => {
    const { response } = Object(call) as { response?: unknown }
    const { usage } = Object(response) as { usage?: unknown }
    const { total_tokens: total, input_tokens, output_tokens } = Object(usage) as Usage
    const tokens = total ?? Number(input_tokens) + Number(output_tokens)
    return typeof tokens === 'number' && Number.isFinite(tokens) ? tokens : 0
  })
}

type Usage = Readonly<Record<'total_tokens' | 'input_tokens' | 'output_tokens', unknown>>
