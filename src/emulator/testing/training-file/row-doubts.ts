import { counted, firstOf } from '../../../base/text/counted.js'
import { formatPath } from '../../../base/text/format-path.js'
import { nearest } from '../../../base/text/nearest.js'
import { shortJson } from '../../../base/text/shortened.js'
import type { Loc } from '../../../service/contract/pydantic/problem.js'
import { trajectory as schema } from '../../../service/contract/trajectory.js'
import { emptyAnswer } from '../../../service/engine/jobs/row-format.js'

export type Json = Readonly<Record<string, unknown>>

/** A trajectory that a job accepts, as it is written, and its place in the row. */
interface WrittenTrajectory {
  readonly path: Loc
  readonly trajectory: Json
}

const READ = schema.parts?.kind === 'fields' ? schema.parts.fields.map(({ key }) => key) : []

/** Keys that clients write. Earlier versions of openpipe-art have the last one. */
const KNOWN: ReadonlySet<string> = new Set([...READ, 'auto_metrics'])

/** Says what may be wrong with groups that a job accepts. `pathOf` leads to a group of the row. */
export function doubtsAboutGroups(groups: unknown, pathOf: (index: number) => Loc): string[] {
  const empty: string[] = []
  const written: WrittenTrajectory[] = []
  for (const [at, group] of (groups as readonly Record<string, Json[] | undefined>[]).entries()) {
    const { trajectories = [], exceptions = [] } = group
    const path = pathOf(at)
    if (trajectories.length + exceptions.length === 0) {
      const what = formatPath(path) || 'the group'
      empty.push(`${what} has no trajectories, so it trains nothing: leave it out`)
    }
    for (const [index, trajectory] of trajectories.entries()) {
      written.push({ path: [...path, 'trajectories', index], trajectory })
    }
  }
  return [...empty, ...doubtsAboutTrajectories(written)]
}

/** Says what may be wrong with trajectories that a job accepts. */
export function doubtsAboutTrajectories(written: readonly WrittenTrajectory[]): string[] {
  const doubts = [textRewards, missingRewards, ignoredKeys, emptyAnswers]
  return doubts.flatMap((doubtsIn) => doubtsIn(written))
}

/** Names answers without content, unless log probabilities show that they were sampled so. */
function emptyAnswers(written: readonly WrittenTrajectory[]): string[] {
  return written.flatMap(({ path, trajectory: { messages_and_choices: items = [] } }) => {
    return (items as readonly Json[]).flatMap((item, index) => {
      const { message = item, logprobs } = item
      const empty = logprobs ? undefined : emptyAnswer(message as Json)
      return empty ? `${formatPath([...path, 'messages_and_choices', index])} ${empty}` : []
    })
  })
}

/** Names rewards that are texts. The service reads them as numbers, and refuses other texts. */
function textRewards(written: readonly WrittenTrajectory[]): string[] {
  const texts = written.flatMap(({ trajectory: { reward } }) => {
    return typeof reward === 'string' ? reward : []
  })
  if (texts.length === 0) return []
  const rewards = counted(texts.length, 'reward is a text', 'rewards are texts')
  return [`${rewards}, such as ${quoted(texts[0])}: a job reads it as a number; write a number`]
}

/** Names missing rewards, unless a client wrote the row that leaves out each reward of 0. */
function missingRewards(written: readonly WrittenTrajectory[]): string[] {
  if (!written.some(({ trajectory: { reward } }) => reward === 0)) return []
  const missing = written.filter(({ trajectory }) => !('reward' in trajectory))
  return missing.length === 0 ? [] : [`${placesOf(missing)}: ${NO_REWARD}`]
}

/** What a missing reward means. */
export const NO_REWARD = 'a missing "reward" counts as 0; write the reward'

/** Names keys that nothing reads, such as a key with a mistake. */
function ignoredKeys(written: readonly WrittenTrajectory[]): string[] {
  const keys = new Set(written.flatMap(({ trajectory }) => Object.keys(trajectory)))
  return [...keys].flatMap((key) => {
    if (KNOWN.has(key)) return []
    const places = placesOf(written.filter(({ trajectory }) => key in trajectory))
    const meant = READ.find((each) => each.startsWith(`${key}_`)) ?? nearest(key, READ)
    const toDo = meant ? `did you mean "${meant}"?` : 'move it into "metadata", or remove it'
    return `${places === '' ? '' : `${places}: `}a job ignores ${quoted(key)}; ${toDo}`
  })
}

/** Names the first place, and says how many more there are. Empty for a row that is a trajectory. */
function placesOf(written: readonly WrittenTrajectory[]): string {
  return firstOf(
    written.map(({ path }) => formatPath(path)),
    1,
  )
}

const LONGEST_VALUE = 60

/** Quotes a value, cut if it is long. */
export function quoted(value: unknown): string {
  return value === undefined ? 'nothing' : shortJson(value, LONGEST_VALUE)
}
