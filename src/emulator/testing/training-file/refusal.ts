import { formatPath } from '../../../base/text/format-path.js'
import { didYouMean } from '../../../base/text/nearest.js'
import { LITERAL_ERROR } from '../../../service/contract/pydantic/literal.js'
import type { Loc, Problem } from '../../../service/contract/pydantic/problem.js'
import { isRecord } from '../../../service/contract/pydantic/record.js'
import type { Schema } from '../../../service/contract/pydantic/schema.js'
import { validate } from '../../../service/contract/pydantic/validate.js'
import { similarKey } from '../../../service/engine/jobs/row-format.js'
import type { UnusableRow } from './row.js'
import { quoted } from './row-doubts.js'

/** Reads a part of a row as the service does. */
export function readPart<T>(
  schema: Schema<T>,
  input: unknown,
  place: Loc,
): { value: T } | UnusableRow {
  const read = validate(schema, input, place)
  if (read.ok) return { value: read.value }
  const [first, ...others] = faultsIn(read.problems, input, place)
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  return { problem: `${first}${more}`, isRefused: true }
}

/**
 * Says what is wrong with a value, once for each place. `depth` is how much of the places of the problems leads to it.
 * They also name the variants of unions, which `path` does not.
 */
function faultsIn(
  problems: readonly Problem[],
  value: unknown,
  path: Loc,
  depth = path.length,
): string[] {
  const ended = problems.filter(({ loc }) => loc.length === depth)
  if (ended.length > 0) return [faultText(ended, path)]
  const parts = [...new Set(problems.map(({ loc }) => loc[depth]!))].map((part) => {
    return { part, own: problems.filter(({ loc }) => loc[depth] === part) }
  })
  const keys = isRecord(value) ? Object.keys(value) : []
  const missing = problems.filter(({ type, loc }) => type === MISSING && loc.length === depth + 1)
  const fields = new Set([...keys, ...missing.map(({ loc }) => loc[depth])])
  if (parts.every(({ part }) => typeof part === 'string' && !fields.has(part))) {
    return faultsIn(meantProblems(parts, value, depth + 1), value, path, depth + 1)
  }
  return parts.flatMap(({ part, own }) => {
    return faultsIn(own, Object(value)[part], [...path, part], depth + 1)
  })
}

/** The problems at one part of a value, or of one variant of a union. */
interface Part {
  readonly part: Loc[number]
  readonly own: readonly Problem[]
}

const MISSING = 'missing'

/** The problems of the variant that was meant. If there is none, those of the words that tell the variants apart. */
function meantProblems(
  variants: readonly Part[],
  value: unknown,
  depth: number,
): readonly Problem[] {
  const isChoice = isRecord(value) && 'message' in value
  const ofKind = variants.filter(({ part }) => (part === 'Choice') === isChoice)
  const ofType = ofKind.filter(({ own }) => own.every(({ loc }) => loc.length > depth))
  const isWord = ({ type, loc }: Problem): boolean => {
    return type === LITERAL_ERROR && loc.length === depth + 1
  }
  const meant = ofType.find(({ own }) => !own.some(isWord))
  if (meant) return meant.own
  const all =
    ofType.length > 0 ? ofType.map(({ own }) => own.filter(isWord)) : variants.map(({ own }) => own)
  return all.flat()
}

/** Says what is wrong at a place. */
function faultText(problems: readonly Problem[], path: Loc): string {
  const { type, msg, input } = problems[0]!
  const place = formatPath(path)
  if (type === MISSING) return `${place} is missing${similarKey(String(path.at(-1)), input)}`
  if (type !== LITERAL_ERROR) return `${place}: ${msg}, not ${quoted(input)}`
  const words = problems.flatMap(({ ctx }) => String(ctx?.['expected']).match(WORDS) ?? [])
  const hint = didYouMean(String(input), words)
  return `${place}: ${quoted(input)} is none of ${words.join(', ')}${hint && `.${hint}`}`
}

/** The words in `'user', 'tool' or 'function'`. */
const WORDS = /(?<=')\w+(?=')/g
