import { formatPath } from '../../../base/text/format-path.js'
import { nearest } from '../../../base/text/nearest.js'
import { plainOf } from '../../../service/contract/pydantic/exact.js'
import { list } from '../../../service/contract/pydantic/containers.js'
import { LITERAL_ERROR } from '../../../service/contract/pydantic/literal.js'
import type { Loc, Problem } from '../../../service/contract/pydantic/problem.js'
import { parsePythonJson } from '../../../service/contract/pydantic/python-json.js'
import { isRecord } from '../../../service/contract/pydantic/record.js'
import type { Schema } from '../../../service/contract/pydantic/schema.js'
import { validate } from '../../../service/contract/pydantic/validate.js'
import {
  trajectory,
  trajectoryGroup,
  type Trajectory,
  type TrajectoryGroup,
} from '../../../service/contract/trajectory.js'
import { doubtsAbout, lineFormat, rowFormat } from '../../../service/engine/jobs/row-format.js'
import { readExample } from '../../../service/engine/jobs/training-data.js'
import {
  doubtsAboutGroups,
  doubtsAboutTrajectories,
  NO_REWARD,
  quoted,
  type Json,
} from './row-doubts.js'

/** What the rows of a file can be, in words for errors. */
export const rowShapes = {
  bodies: 'a body with "trajectory_groups"',
  groups: 'a group with "trajectories"',
  trajectories: 'a trajectory with "messages_and_choices"',
  exported: 'an exported row with "messages" and "group_index"',
  stored: 'a stored row with "trajectory_json" and "group_index"',
  sft: 'an SFT row with "messages"',
} as const

/** What a row of a file of training data is. */
export type RowShape = keyof typeof rowShapes

/** What follows from the shape of a row. */
interface ShapeFacts {
  /** Whether it is an SFT row, which has no rewards, and no answers that were sampled. */
  readonly isExample: boolean
  /** Whether it is known which trajectories are one group. */
  readonly hasGroups: boolean
  /** Whether it is all that a job trains. */
  readonly isWholeJob: boolean
  /** The indices that lead to a trajectory in it. */
  readonly indices: readonly ('group' | 'trajectory')[]
}

export const shapeFacts: Readonly<Record<RowShape, ShapeFacts>> = {
  bodies: { isExample: false, hasGroups: true, isWholeJob: true, indices: ['group', 'trajectory'] },
  groups: { isExample: false, hasGroups: true, isWholeJob: false, indices: ['trajectory'] },
  trajectories: { isExample: false, hasGroups: false, isWholeJob: false, indices: [] },
  exported: { isExample: false, hasGroups: true, isWholeJob: false, indices: [] },
  stored: { isExample: false, hasGroups: true, isWholeJob: false, indices: [] },
  sft: { isExample: true, hasGroups: false, isWholeJob: false, indices: [] },
}

/** A row of a file of training data. */
export interface Row {
  readonly shape: RowShape
  readonly groups: readonly TrajectoryGroup[]
  /** Whether answers without log probabilities contribute nothing. Undefined if the row does not say. */
  readonly needsLogprobs?: boolean | undefined
  /** What may be wrong with a row that a job accepts. */
  readonly doubts?: readonly string[]
  /** The number of the group that a row belongs to, if rows of a group follow each other. */
  readonly groupIndex?: unknown
}

/** Why a line cannot be used. */
export interface UnusableRow {
  readonly problem: string
  /** Whether the row was read, and the service would refuse it. */
  readonly isRefused?: true
  /** What of it can be read. */
  readonly rest?: Row
}

/** Reads a line of a file of training data. */
export function readRow(line: string): Row | UnusableRow {
  const parsed = parse(line)
  if ('problem' in parsed) return parsed
  const row = parsed.value
  if (!isRecord(row)) {
    const format = lineFormat(line)
    const hint = format === undefined ? '' : `. It is ${format}`
    return { problem: `expected a JSON object, not ${quoted(row)}${hint}` }
  }
  const shape = shapeOf(row)
  return shape === undefined ? { problem: unknownShape(row) } : READERS[shape](row, line)
}

/** Parses JSON as the service does, which also reads `NaN`. */
function parse(text: string): { value: unknown } | UnusableRow {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    const parsed = parsePythonJson(text)
    if (parsed.kind === 'value') return { value: plainOf(parsed.value) }
    if (parsed.kind !== 'error')
      return { problem: 'its JSON is too deep, or has too long a number' }
    const { message, position } = parsed
    const rest = text.slice(position).trim()
    const where = rest === '' ? 'where the line ends' : `at ${quoted(rest)}`
    const format = lineFormat(text)
    const hint = format === undefined ? '' : ` It is ${format}.`
    return { problem: `not JSON: ${message} at column ${position + 1}, ${where}.${hint}` }
  }
}

function shapeOf(row: Json): RowShape | undefined {
  if ('trajectory_groups' in row) return 'bodies'
  if ('trajectories' in row) return 'groups'
  if ('messages_and_choices' in row || 'exchanges' in row) return 'trajectories'
  if (typeof row['trajectory_json'] === 'string') return 'stored'
  if ('messages' in row) return 'group_index' in row ? 'exported' : 'sft'
  return undefined
}

const READERS: Readonly<Record<RowShape, (row: Json, line: string) => Row | UnusableRow>> = {
  bodies(row) {
    const read = readPart(list(trajectoryGroup), row['trajectory_groups'], ['trajectory_groups'])
    if ('problem' in read) return withRest(read, 'bodies', row['trajectory_groups'])
    const { allow_training_without_logprobs: allowed } = Object(row['experimental_config']) as Json
    const needsLogprobs = typeof allowed === 'boolean' ? !allowed : undefined
    const doubts = doubtsAboutGroups(row['trajectory_groups'], (at) => ['trajectory_groups', at])
    return { shape: 'bodies', groups: read.value, needsLogprobs, doubts }
  },
  groups(row) {
    const read = readPart(trajectoryGroup, row, [])
    return 'problem' in read
      ? withRest(read, 'groups', [row])
      : { shape: 'groups', groups: [read.value], doubts: doubtsAboutGroups([row], () => []) }
  },
  trajectories(row) {
    const read = readPart(trajectory, row, [])
    if ('problem' in read) return read
    const doubts = doubtsAboutTrajectories([{ path: [], trajectory: row }])
    return { shape: 'trajectories', groups: [{ trajectories: [read.value] }], doubts }
  },
  exported(row) {
    const read = readExported(row)
    if ('problem' in read) return read
    const groups = [{ trajectories: [read] }]
    const doubts = 'reward' in row ? [] : [NO_REWARD]
    return { shape: 'exported', groups, groupIndex: row['group_index'], doubts }
  },
  stored({ trajectory_json: text, group_index: groupIndex }) {
    const parsed = parse(text as string)
    const read =
      'problem' in parsed ? parsed : readPart(trajectory, parsed.value, ['trajectory_json'])
    if ('problem' in read) return read
    const groups = [{ trajectories: [read.value] }]
    const path = ['trajectory_json']
    const doubts = doubtsAboutTrajectories([
      { path, trajectory: (parsed as { value: Json }).value },
    ])
    const shape = groupIndex === undefined ? 'trajectories' : 'stored'
    return { shape, groups, groupIndex, doubts }
  },
  sft(_row, line) {
    const example = readExample(line)
    if (typeof example === 'string') return { problem: example, isRefused: true }
    const { messages, body } = example
    const read = { messages_and_choices: [...messages], metadata: { ...body } }
    const doubts = doubtsAbout(messages)
    return { shape: 'sft', groups: [{ trajectories: [read] }], doubts }
  },
}

/** Reads a part as the service does. */
function readPart<T>(schema: Schema<T>, input: unknown, place: Loc): { value: T } | UnusableRow {
  const read = validate(schema, input, place)
  if (read.ok) return { value: read.value }
  const { loc, msg, input: value } = mainProblem(read.problems)
  const others = read.problems.length - 1
  const more = others === 0 ? '' : ` (and ${others} more)`
  return { problem: `${formatPath(loc)}: ${msg}, not ${quoted(value)}${more}`, isRefused: true }
}

/** Returns the problem that says most: if a union refused a value, that of the variant that was meant. */
function mainProblem(problems: readonly Problem[]): Problem {
  const words = problems.filter(({ type }) => type === LITERAL_ERROR)
  const wordOf = ({ ctx }: Problem): string => String(ctx?.['expected']).slice(1, -1)
  const meant = nearest(String(words[0]?.input), words.map(wordOf))
  const isOther = ({ loc }: Problem): boolean =>
    words.some((word) => formatPath(loc).startsWith(formatPath(word.loc.slice(0, -1))))
  return (
    words.find((word) => wordOf(word) === meant) ??
    problems.find((problem) => !isOther(problem)) ??
    problems[0]!
  )
}

/** Adds the trajectories that can be read to a refusal, because one mistake must not hide the others. */
function withRest(refusal: UnusableRow, shape: RowShape, groups: unknown): UnusableRow {
  if (!Array.isArray(groups)) return refusal
  const rest = groups.map((group: unknown) => {
    const { trajectories } = Object(group) as Json
    const all = Array.isArray(trajectories) ? (trajectories as unknown[]) : []
    return {
      trajectories: all.flatMap((each) => {
        const read = validate(trajectory, each, [])
        return read.ok ? read.value : []
      }),
    }
  })
  const readable = rest.filter(({ trajectories }) => trajectories.length > 0)
  return readable.length === 0 ? refusal : { ...refusal, rest: { shape, groups: readable } }
}

/**
 * Reads a row of a table that earlier versions of openpipe-art write. Its messages say whether they are trained, and their
 * calls are JSON in a text.
 */
function readExported(row: Json): Trajectory | UnusableRow {
  const { messages, reward, metrics, metadata } = row
  if (!Array.isArray(messages) || !messages.every(isRecord)) {
    return { problem: `messages: expected a list of messages, not ${quoted(messages)}` }
  }
  if (typeof reward !== 'number' && reward !== null && reward !== undefined) {
    return { problem: `reward: expected a number, not ${quoted(reward)}` }
  }
  return {
    messages_and_choices: messages.map(exportedMessage),
    // Some tools write NaN as null.
    ...(reward !== undefined && { reward: reward ?? NaN }),
    // Only whether two rows have the same matters.
    metadata: { metrics, metadata },
  }
}

function exportedMessage({ trainable, tool_calls: calls, ...message }: Json): Json {
  const read = {
    ...message,
    ...(calls !== null && calls !== undefined && { tool_calls: callsIn(calls) }),
    ...(trainable === false && { trainable }),
  }
  return trainable === true ? { message: read } : read
}

function callsIn(calls: unknown): unknown {
  if (typeof calls !== 'string') return calls
  const parsed = parse(calls)
  return 'value' in parsed ? parsed.value : calls
}

/** The keys that tell what a row is. */
const TELLING = ['trajectory_groups', 'trajectories', 'messages_and_choices', 'messages'] as const

function unknownShape(row: Json): string {
  const format = rowFormat(row)
  const keys = Object.keys(row)
  const expected = `expected ${TELLING.slice(0, -1).map(quoted).join(', ')} or ${quoted(TELLING.at(-1))}`
  if (keys.length === 0) return `${expected}, not an empty object`
  const shown = keys.slice(0, MOST_KEYS).map(quoted).join(', ')
  const meant = keys.map((key) => [key, nearest(key, TELLING)] as const).find(([, best]) => best)
  const guess = meant ? ` Did you mean "${meant[1]}" by "${meant[0]}"?` : ''
  const hint = format === undefined ? guess : ` For SFT, ${format}.`
  return `${expected}; the row has ${shown}${keys.length > MOST_KEYS ? ', …' : ''}.${hint}`
}

const MOST_KEYS = 6
