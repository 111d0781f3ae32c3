import {
  isNode,
  isPair,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Pair,
} from 'yaml'
import { findProblems, placeOf, type Path } from './check-scenario.js'
import type { Scenario } from './scenario.js'
import type { Revealed } from './shown.js'
import { ScenarioError, type ScenarioProblem } from './scenario-error.js'
import { MOST_NESTED } from '../text/writable.js'

/** The content of a file, and the position of each part. */
export interface Source {
  input: unknown
  label: string
  locate: (problem: { path: Path; onKey: boolean }) => Partial<ScenarioProblem>
}

export function checked(source: Source, parent?: Scenario): Scenario {
  const result = findProblems(source.input, parent)
  return result.ok ? result.scenario : refuse(source, result.problems)
}

export function refuse({ label, locate }: Source, found: readonly Found[]): never {
  const problems = found.map((problem): ScenarioProblem => {
    const { place, message, allowed, nearest } = problem
    const choices = {
      ...(allowed !== undefined && { allowed }),
      ...(nearest !== undefined && { nearest }),
    }
    return { place, message, ...choices, ...locate(problem) }
  })
  problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
  throw new ScenarioError(`${label} cannot be used:`, problems)
}

type Found = { path: Path; onKey: boolean } & ScenarioProblem

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
  reveal: (input: unknown) => Revealed,
): { scenario: Scenario } | { problems: readonly ScenarioProblem[] } {
  try {
    const source = parse(text, 'The text')
    const { input, hidden } = reveal(source.input)
    if (hidden.length === 0) return { scenario: checked({ ...source, input }) }
    return refuse(
      source,
      hidden.map((path) => ({ path, onKey: false, place: placeOf(path), message: STILL_HIDDEN })),
    )
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    if (error.problems.length > 0) return { problems: error.problems }
    return { problems: [{ place: '', message: error.message }] }
  }
}

const STILL_HIDDEN =
  'the value was not shown, and no scenario here has it under this name. Write the value, or leave it out'

/** JSON is YAML, so one parser reads both. */
export function parse(text: string, file: string): Source {
  const lines = new LineCounter()
  const place = (offset: number): { file: string; line: number; column: number } => {
    const { line, col } = lines.linePos(offset)
    return { file, line, column: col }
  }
  // Editors do not count a byte order mark as a column.
  const document = unlessTooDeep(file, () => {
    return parseDocument(text.replace(/^\uFEFF/, ''), {
      lineCounter: lines,
      merge: true,
      // The parser compares each key with all earlier ones, which takes minutes for 100,000 keys.
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'error',
    })
  })
  const found = unlessTooDeep(file, () => [
    ...unresolvedAliases(document),
    ...repeatedKeys(document),
  ])
  const flaws = [...document.errors, ...document.warnings, ...found]
  const deep = flaws.find(isOverflow)
  if (deep) {
    throw new ScenarioError(`${file} cannot be used:`, [
      { place: '', message: TOO_DEEP, ...place(deep.pos[0]) },
    ])
  }
  if (flaws.length > 0) {
    throw new ScenarioError(
      `${file} is not valid YAML:`,
      // After a syntax error, later errors are usually only consequences.
      flaws.slice(0, MOST_FLAWS).map(({ code, message, pos }) => {
        return { place: '', message: flawMessages[code] ?? message, ...place(pos[0]) }
      }),
    )
  }
  const input = toPlain(document, file)
  if (input === null)
    throw new ScenarioError(`${file} cannot be used:`, [
      { place: '', message: EMPTY, file, line: 1, column: 1 },
    ])
  return { input, label: file, locate: (problem) => place(offsetOf(document, problem)) }
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
    throw new ScenarioError(`${file} cannot be used:`, [{ place: '', message: TOO_DEEP }])
  }
}

/** Whether an error says that the stack is full. The parser also reports it as a mistake of the text. */
function isOverflow(error: unknown): boolean {
  const { message } = Object(error) as { message?: unknown }
  return typeof message === 'string' && message.includes('call stack size')
}

const TOO_DEEP = `it is nested too deeply; at most ${MOST_NESTED} lists and maps can be inside each other`

const EMPTY = 'it is empty; a scenario has at least a name'

const MOST_FLAWS = 5

/** Replaces messages that the parser writes for programmers. */
const flawMessages: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'A second document begins here; a file holds one scenario',
}

interface Flaw {
  code: string
  message: string
  pos: readonly [number, number]
}

/** Finds aliases without an anchor. The parser reports them later, and without a position. */
function unresolvedAliases(document: Document): Flaw[] {
  const anchors = new Set<string>()
  const found: Flaw[] = []
  visit(document, {
    Value: (_key, { anchor }) => void (anchor !== undefined && anchors.add(anchor)),
    Alias(_key, { source, range }) {
      if (anchors.has(source)) return
      const [start = 0, end = 0] = range ?? []
      const message = `*${source} refers to no &${source} before it`
      found.push({ code: 'UNRESOLVED_ALIAS', message, pos: [start, end] })
    },
  })
  return found
}

/** Finds keys that a map has twice. */
function repeatedKeys(document: Document): Flaw[] {
  const found: Flaw[] = []
  visit(document, {
    Map(_key, { items }) {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        const [start = 0, end = 0] = key.range ?? []
        if (seen.has(key.value)) {
          found.push({
            code: 'DUPLICATE_KEY',
            message: 'Map keys must be unique',
            pos: [start, end],
          })
        }
        seen.add(key.value)
      }
    },
  })
  return found
}

function toPlain(document: Document, file: string): unknown {
  let plain: unknown
  try {
    plain = document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    if (isOverflow(error)) {
      throw new ScenarioError(`${file} cannot be used:`, [{ place: '', message: TOO_DEEP }])
    }
    // The only problem that is left: a short file whose aliases would fill the memory.
    throw new ScenarioError(`${file} cannot be used:`, [
      { place: '', message: 'its aliases expand to too much: they repeat each other many times' },
    ])
  }
  try {
    JSON.stringify(plain)
  } catch (error) {
    const message = isOverflow(error) ? TOO_DEEP : 'an alias refers to what contains it'
    throw new ScenarioError(`${file} cannot be used:`, [
      { place: '', message, file, line: 1, column: 1 },
    ])
  }
  return plain
}

/** The offset of the wrong key or value, or of its parent if it is missing. */
function offsetOf(document: Document, { path, onKey }: { path: Path; onKey: boolean }): number {
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
