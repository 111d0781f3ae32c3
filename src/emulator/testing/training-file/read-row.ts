import { nearest } from '../../../base/text/nearest.js'
import { plainOf } from '../../../service/contract/pydantic/exact.js'
import { list } from '../../../service/contract/pydantic/containers.js'
import type { Loc } from '../../../service/contract/pydantic/problem.js'
import { parsePythonJson } from '../../../service/contract/pydantic/python-json.js'
import { isRecord } from '../../../service/contract/pydantic/record.js'
import { validate } from '../../../service/contract/pydantic/validate.js'
import { trajectory, trajectoryGroup } from '../../../service/contract/trajectory.js'
import { doubtsAbout, lineFormat, rowFormat } from '../../../service/engine/jobs/row-format.js'
import { readExample } from '../../../service/engine/jobs/training-data.js'
import { readExported } from './exported-row.js'
import { readPart } from './refusal.js'
import type { Row, RowShape, UnusableRow } from './row.js'
import {
  doubtsAboutGroups,
  doubtsAboutTrajectories,
  NO_REWARD,
  quoted,
  type Json,
} from './row-doubts.js'

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
  trajectories: (row) => readTrajectoryAt([], row, 'trajectories'),
  exported(row) {
    const read = readExported(row)
    if ('problem' in read) return read
    const groups = [{ trajectories: [read] }]
    const doubts = 'reward' in row ? [] : [NO_REWARD]
    return { shape: 'exported', groups, groupIndex: row['group_index'], doubts }
  },
  stored({ trajectory_json: text, group_index: groupIndex }) {
    const parsed = parse(text as string)
    if ('problem' in parsed) return parsed
    const shape = groupIndex === undefined ? 'trajectories' : 'stored'
    return { ...readTrajectoryAt(['trajectory_json'], parsed.value, shape), groupIndex }
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

/** Reads a row that is a trajectory, or has one at a path. */
function readTrajectoryAt(path: Loc, input: unknown, shape: RowShape): Row | UnusableRow {
  const read = readPart(trajectory, input, path)
  if ('problem' in read) return read
  const doubts = doubtsAboutTrajectories([{ path, trajectory: input as Json }])
  return { shape, groups: [{ trajectories: [read.value] }], doubts }
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
