import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { isNode, isPair, LineCounter, parseDocument, type Document, type Pair } from 'yaml'
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
    throw new ScenarioError(`Failed to read the scenario ${shown}: ${(error as Error).message}`)
  }
  return parseScenario(text, shown)
}

export interface ReadScenario {
  input: ScenarioInput
  scenario: Scenario
}

/** JSON is YAML, so one parser reads both. */
export function parseScenario(text: string, file: string): ReadScenario {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  if (document.errors.length > 0) {
    throw new ScenarioError(
      `${file} is not valid YAML:`,
      document.errors.map(({ message, pos }) => {
        const { line, col } = lines.linePos(pos[0])
        return { place: '', message: message.split('\n')[0]!, line, column: col }
      }),
    )
  }
  const input = toPlain(document, file)
  const result = findProblems(input)
  if (result.ok) return { input: input as ScenarioInput, scenario: result.scenario }
  const problems = result.problems.map((problem): ScenarioProblem => {
    const offset = offsetOf(document, problem)
    const { line, col } = lines.linePos(offset)
    return { place: problem.place, message: problem.message, line, column: col }
  })
  problems.sort((a, b) => a.line! - b.line! || a.column! - b.column!)
  throw new ScenarioError(`${file} cannot be used:`, problems)
}

function toPlain(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    // Aliases that multiply without end are refused by the parser.
    throw new ScenarioError(`${file} cannot be used:`, [
      { place: '', message: (error as Error).message },
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
