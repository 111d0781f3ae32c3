import type { Emulator } from '../../emulator/emulator.js'
import { cut } from '../text-width.js'
import { commandFailure } from './command.js'
import type { CommandRun } from './command-run.js'
import type { JunitCase, JunitSuite } from './junit.js'
import { partLines, plain } from './lines.js'
import { problemsOfRun, problemsPart } from './problems-part.js'

/** The longest name of a test case. Some CI systems cut longer ones in the middle. */
const LONGEST_NAME = 200

/** The test cases of a command: the command itself, and each client check. */
export function commandSuite(
  emulator: Emulator,
  run: CommandRun,
  { checks, why }: { checks: readonly string[]; why?: string | undefined },
): JunitSuite {
  const { command, took, mistakes } = run
  const { seed, scenario } = emulator
  const words = command.join(' ')
  return {
    name: 'svtrain-emulator exec',
    properties: { command: words, scenario: scenario.name, seed: String(seed) },
    took,
    cases: [
      { name: cut(words, LONGEST_NAME), took, ...outcomeOf(emulator, run, why) },
      ...checks.map((check) => checkCase(check, mistakes)),
    ],
  }
}

function outcomeOf(
  emulator: Emulator,
  run: CommandRun,
  why: string | undefined,
): Partial<JunitCase> {
  if (why !== undefined) return { error: { title: why, kind: 'not_started', reason: why } }
  if (run.code !== 0) return { failure: commandFailure(emulator, { ...run, mistakes: [] }) }
  // What the emulator refused although the command passed: it may be on purpose.
  const problems = problemsOfRun(emulator, run)
  if (problems.length === 0) return {}
  const lines = partLines(problemsPart(emulator, run, problems), plain)
  return { stdout: [...lines, ''].join('\n') }
}

function checkCase(check: string, mistakes: CommandRun['mistakes'] = []): JunitCase {
  const found = mistakes.filter((mistake) => mistake.check === check).map(({ text }) => text)
  const name = `client check ${check}`
  const [title] = found
  if (title === undefined) return { name }
  return { name, failure: { title, kind: check, reason: found.join('\n') } }
}
