import { formatPath } from '../../base/text/format-path.js'
import { nearest } from '../../base/text/nearest.js'
import { valueAt } from '../../base/text/value-at.js'
import type * as z from 'zod'
import {
  allowedBy,
  formatIssue,
  formatType,
  formatUnknownKey,
  formatValue,
  type Issue,
} from './issue-text.js'
import { knownKeys } from './known-keys.js'
import type { ScenarioProblem } from './scenario-error.js'

export type Path = readonly (string | number)[]

/** A problem, with the path of its place. `onKey` says that the key is wrong and not its value. */
export type PlacedProblem = ScenarioProblem & { path: Path; onKey: boolean }

/** What is known of the parts of a value. */
interface PartFacts {
  /** Whether the value at a path may be secret. Messages then show only its type. Default: none may. */
  readonly hides?: (path: Path) => boolean
  /** What to say about a key that was removed. Undefined: the key never existed. */
  readonly removedKey?: (path: Path) => string | undefined
  /** Whether parts are compared with each other. That is not done if one of them is wrong. Default: no. */
  readonly comparesParts?: boolean
}

interface Checking extends Required<PartFacts> {
  readonly schema: unknown
  readonly input: unknown
}

export type PartCheck<T> = { ok: true; value: T } | { ok: false; problems: PlacedProblem[] }

/** Parses a value by a schema and fills in defaults. Returns its problems if it is not valid. */
export function readPart<T>(
  schema: z.ZodType<T>,
  input: unknown,
  { hides = () => false, removedKey = () => undefined, comparesParts = false }: PartFacts = {},
): PartCheck<T> {
  // Compiling a function for each schema takes longer than checking one scenario without it.
  const result = schema.safeParse(input, { reportInput: true, jitless: true })
  if (result.success) return { ok: true, value: result.data }
  const checking = { schema, input, hides, removedKey, comparesParts }
  return { ok: false, problems: problemsOf(result.error, checking) }
}

/** The most problems that are listed for one value. All items of a long list may have the same problem. */
const MOST_PROBLEMS = 100

function problemsOf(error: z.ZodError, checking: Checking): PlacedProblem[] {
  const problems = error.issues
    .slice(0, MOST_PROBLEMS)
    .flatMap(innermost)
    .flatMap((issue) => {
      const found = toProblems(issue, checking)
      // Zod compares the parts of a value only if each is right by itself.
      return checking.comparesParts && issue.code !== 'custom' ? found.map(hidingOthers) : found
    })
  const isCut = Math.max(error.issues.length, problems.length) > MOST_PROBLEMS
  return isCut ? problems.slice(0, MOST_PROBLEMS).map(hidingOthers) : problems
}

function hidingOthers<Problem extends ScenarioProblem>(each: Problem): Problem {
  return { ...each, hidesOthers: true }
}

/** For a union, returns the problems of the variant that matches furthest. They help the user most. */
function innermost(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const variants = issue.errors.map((issues) => issues.flatMap(innermost))
  const furthest = variants.reduce((best, next) => (depth(next) > depth(best) ? next : best))
  if (depth(furthest) === 0) return [issue]
  return furthest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }))
}

function depth(issues: readonly Issue[]): number {
  return Math.max(
    0,
    ...issues.map(({ path, code }) => path.length + Number(code === 'unrecognized_keys')),
  )
}

function toProblems(issue: Issue, checking: Checking): PlacedProblem[] {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(path, checking)
    const parts = known.map((name) => [...path, name])
    // One more, so that the list shows that it is cut.
    return issue.keys.slice(0, MOST_PROBLEMS + 1).map((key) => {
      const place = [...path, key]
      const removed = checking.removedKey(place)
      if (removed !== undefined) return problem(place, true, removed)
      const there = parts.filter((part) => knownKeys(part, checking).includes(key))
      const elsewhere = there.map((part) => formatPath([...part, key]))
      const wrong = problem(place, true, formatUnknownKey(key, known, elsewhere))
      return { ...wrong, ...(there.length > 0 ? { allowed: known } : choicesFor(key, known)) }
    })
  }
  const value = valueAt(checking.input, path)
  const formatted = checking.hides(path) ? formatType(value) : formatValue(value)
  const wrong = problem(path, false, formatIssue(issue, { value, formatted }))
  // A suggestion would reveal a hidden value.
  const written = checking.hides(path) ? undefined : value
  return [{ ...wrong, ...choicesFor(written, allowedBy(issue) ?? []) }]
}

/** What is allowed instead of a wrong value, and what is most similar to it. Empty if that is not known. */
function choicesFor(
  written: unknown,
  allowed: readonly string[],
): Pick<ScenarioProblem, 'allowed' | 'nearest'> {
  if (allowed.length === 0) return {}
  const best = typeof written === 'string' ? nearest(written, allowed) : undefined
  return best === undefined ? { allowed } : { allowed, nearest: best }
}

export function placeOf(path: Path): Pick<PlacedProblem, 'path' | 'place'> {
  return { path, place: formatPath(path) }
}

export function problem(path: Path, onKey: boolean, message: string): PlacedProblem {
  return { ...placeOf(path), onKey, message }
}
