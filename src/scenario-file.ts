import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { isNode, isPair, LineCounter, parseDocument, visit, type Document, type Pair } from 'yaml'
import { findProblems, type Path } from './check-scenario.js'
import type { Scenario, ScenarioInput } from './engine/scenario.js'
import { ScenarioError, type ScenarioProblem } from './scenario-error.js'

/**
 * Reads a scenario from a YAML or JSON file. Raises `ScenarioError`: what is wrong, where, line and
 * column, and what was probably meant.
 */
export async function readScenarioFile(path: string): Promise<ReadScenario> {
  const shown = relative('', path) || path
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    throw new ScenarioError(`Failed to read the scenario ${shown}: ${reasons[code] ?? message}.`)
  }
  return parseScenario(text, shown)
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'reading it is not permitted',
}

export interface ReadScenario {
  input: ScenarioInput
  scenario: Scenario
}

/** JSON is YAML, so one parser reads both. */
export function parseScenario(text: string, file: string): ReadScenario {
  const lines = new LineCounter()
  const place = (offset: number): { file: string; line: number; column: number } => {
    const { line, col } = lines.linePos(offset)
    return { file, line, column: col }
  }
  // Editors do not count a byte order mark as a column.
  const document = parseDocument(text.replace(/^\uFEFF/, ''), {
    lineCounter: lines,
    merge: true,
    prettyErrors: false,
    logLevel: 'error',
  })
  const flaws = [...document.errors, ...document.warnings, ...unresolvedAliases(document)]
  if (flaws.length > 0) {
    throw new ScenarioError(
      `${file} is not valid YAML:`,
      // Where a parser has lost the thread, what it says further on means little.
      flaws.slice(0, MOST_FLAWS).map(({ code, message, pos }) => {
        return { place: '', message: flawWording[code] ?? message, ...place(pos[0]) }
      }),
    )
  }
  const input = toPlain(document, file)
  if (input === null)
    throw new ScenarioError(`${file} cannot be used:`, [
      { place: '', message: EMPTY, file, line: 1, column: 1 },
    ])
  const result = findProblems(input)
  if (result.ok) return { input: input as ScenarioInput, scenario: result.scenario }
  const problems = result.problems.map((problem): ScenarioProblem => {
    return { place: problem.place, message: problem.message, ...place(offsetOf(document, problem)) }
  })
  problems.sort((a, b) => a.line! - b.line! || a.column! - b.column!)
  throw new ScenarioError(`${file} cannot be used:`, problems)
}

const EMPTY = 'it is empty; a scenario has at least a name'

const MOST_FLAWS = 5

/** Where the parser speaks to programmers. */
const flawWording: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'A second document begins here; a file holds one scenario',
}

interface Flaw {
  code: string
  message: string
  pos: readonly [number, number]
}

/** The parser notices them only later, and then no longer says where they stand. */
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

function toPlain(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch {
    // The one thing that is left to go wrong: a short file that would fill the memory.
    throw new ScenarioError(`${file} cannot be used:`, [
      { place: '', message: 'its aliases stand for too much: each repeats others many times' },
    ])
  }
}

/** Where the offending key or value stands; where it is missing, where its parent does. */
function offsetOf(document: Document, { path, onKey }: { path: Path; onKey: boolean }): number {
  if (onKey) {
    const parent = document.getIn(path.slice(0, -1), true) as { items?: unknown[] } | undefined
    const pair = parent?.items?.find(
      (item): item is Pair => isPair(item) && String(item.key) === path.at(-1),
    )
    if (isNode(pair?.key) && pair.key.range) return pair.key.range[0]
  }
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return 0
}
