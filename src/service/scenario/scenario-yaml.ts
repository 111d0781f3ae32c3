import { isNode, isPair, LineCounter, parseDocument, type Document, type Pair } from 'yaml'
import { findProblems } from './check-scenario.js'
import type { PlacedProblem } from './part-problems.js'
import type { Scenario } from './scenario.js'
import { ScenarioError, type ScenarioProblem } from './scenario-error.js'
import { knownFile, type KnownFile } from '../../base/text/evidence.js'
import { unresolvedAliases, wrongKeys } from './yaml-flaws.js'
import { excessOf, isOverflow, TOO_DEEP } from './yaml-limits.js'

/** The content of a file, and the position of each part. */
export interface Source {
  input: unknown
  label: string
  locate: (problem: Pick<PlacedProblem, 'path' | 'onKey'>) => Partial<ScenarioProblem>
}

export function checked(source: Source, parent?: Scenario): Scenario {
  const result = findProblems(source.input, parent)
  return result.ok ? result.scenario : refuse(source, result.problems)
}

export function refuse({ label, locate }: Source, found: readonly PlacedProblem[]): never {
  const problems = found.map((problem): ScenarioProblem => {
    const { place, message, allowed, nearest, hidesOthers } = problem
    const choices = {
      ...(allowed !== undefined && { allowed }),
      ...(nearest !== undefined && { nearest }),
      ...(hidesOthers && { hidesOthers }),
    }
    return { place, message, ...choices, ...locate(problem) }
  })
  problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
  throw new ScenarioError(`${label} cannot be used`, problems)
}

/**
 * Checks the text of a scenario, which can extend only built-in scenarios.
 *
 * @throws {ScenarioError} When it is not valid. The error lists all problems with line and column.
 */
export function parseScenario(text: string, file: string): Scenario {
  return checked(parse(text, file))
}

/**
 * Checks the text of a scenario without using it. Returns the scenario, or its problems.
 *
 * @param reveal - Called with the content before it is checked. Returns it with what was hidden in it.
 */
export function checkText(
  text: string,
  reveal: (input: unknown) => unknown,
): { scenario: Scenario } | { problems: readonly ScenarioProblem[] } {
  try {
    const source = parse(text, 'The text')
    return { scenario: checked({ ...source, input: reveal(source.input) }) }
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    if (error.problems.length > 0) return { problems: error.problems }
    return { problems: [{ place: '', message: error.message }] }
  }
}

/** JSON is YAML, so one parser reads both. */
export function parse(text: string, file: string): Source {
  const lines = new LineCounter()
  const place = (offset: number): { file: string; line: number; column: number } => {
    const { line, col } = lines.linePos(offset)
    return { file, line, column: col }
  }
  // Editors do not count a byte order mark as a column.
  const written = text.replace(/^\uFEFF/, '')
  const known = knownFile(written, file)
  if (known) throw notYet(file, known)
  const excess = excessOf(written)
  if (excess) {
    // The positions of lines are known only after the text is read.
    const before = written.slice(0, excess.offset).split('\n')
    const at = { file, line: before.length, column: before.at(-1)!.length + 1 }
    throw unusable(file, excess.message, at)
  }
  const document = unlessTooDeep(file, () => {
    return parseDocument(written, {
      lineCounter: lines,
      merge: true,
      // The parser compares each key with all earlier ones, which takes minutes for 100,000 keys.
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'error',
    })
  })
  const found = unlessTooDeep(file, () => [...unresolvedAliases(document), ...wrongKeys(document)])
  const flaws = [...document.errors, ...document.warnings, ...found]
  const deep = flaws.find(isOverflow)
  if (deep) throw unusable(file, TOO_DEEP, place(deep.pos[0]))
  if (flaws.length > 0) {
    throw new ScenarioError(
      `${file} is not valid YAML`,
      // After a syntax error, later errors are usually only consequences.
      flaws.slice(0, MOST_FLAWS).map(({ code, message, pos }) => {
        const hides = flaws.length > MOST_FLAWS && { hidesOthers: true as const }
        return { place: '', message: flawMessages[code] ?? message, ...place(pos[0]), ...hides }
      }),
    )
  }
  const input = toPlain(document, file)
  if (input === null) throw unusable(file, EMPTY, { file, line: 1, column: 1 })
  return { input, label: file, locate: (problem) => place(offsetOf(document, problem)) }
}

/** The error for what a scenario can be made from. */
export function notYet(label: string, { what, toDo }: KnownFile): ScenarioError {
  return unusable(label, `it is ${what}, not a scenario. ${toDo}`)
}

function unusable(
  label: string,
  message: string,
  at: Partial<ScenarioProblem> = {},
): ScenarioError {
  return new ScenarioError(`${label} cannot be used`, [{ place: '', message, ...at }])
}

/**
 * Runs a part of the parser, which calls itself for each level of a text.
 *
 * @throws {ScenarioError} When the text has more levels than fit on the stack.
 */
function unlessTooDeep<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!isOverflow(error)) throw error
    throw unusable(file, TOO_DEEP)
  }
}

const EMPTY = 'it is empty; a scenario has at least a name'

const MOST_FLAWS = 5

/** Replaces messages that the parser writes for programmers. */
const flawMessages: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'A second document begins here; a file holds one scenario',
}

function toPlain(document: Document, file: string): unknown {
  let plain: unknown
  try {
    plain = document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    if (isOverflow(error)) throw unusable(file, TOO_DEEP)
    // The only problem that is left: a short file whose aliases would fill the memory.
    throw unusable(file, 'its aliases expand to too much: they repeat each other many times')
  }
  try {
    JSON.stringify(plain)
  } catch (error) {
    const message = isOverflow(error) ? TOO_DEEP : 'an alias refers to what contains it'
    throw unusable(file, message, { file, line: 1, column: 1 })
  }
  return plain
}

/** The offset of the wrong key or value, or of its parent if it is missing. */
function offsetOf(
  document: Document,
  { path, onKey }: Pick<PlacedProblem, 'path' | 'onKey'>,
): number {
  if (onKey) {
    const parent = document.getIn(path.slice(0, -1), true) as { items?: unknown[] } | undefined
    const pair = parent?.items?.find(
      (item): item is Pair => isPair(item) && String(item.key) === path.at(-1),
    )
    if (isNode(pair?.key) && pair.key.range) return pair.key.range[0]
  }
  for (let length = path.length; length >= 0; length--) {
    const node = document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return 0
}
