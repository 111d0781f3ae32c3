import type { Emulator } from '../../emulator/emulator.js'
import type { Output } from '../terminal.js'
import { cut } from '../text-width.js'
import { failureLines, problemLines, type FailedRun } from '../failure/command.js'
import { formatDuration } from './format.js'
import type { JunitCase, JunitSuite } from '../failure/junit.js'

/** The longest name of a test case. Some CI systems cut longer ones in the middle. */
const LONGEST = 200

const plain: Output = { write() {}, paint: (_style, text) => text }

interface ExecSettings {
  /** The names of the client checks. Empty without `--checks`. */
  readonly checks: readonly string[]
  /** Why the command could not be started. */
  readonly why?: string | undefined
}

/** The test cases of a command: the command itself, and each client check. */
export function execSuite(
  emulator: Emulator,
  run: FailedRun,
  { checks, why }: ExecSettings,
): JunitSuite {
  const { command, took, mistakes = [] } = run
  const { seed, scenario } = emulator
  const words = command.join(' ')
  return {
    name: 'svtrain-emulator exec',
    properties: { command: words, scenario: scenario.name, seed: String(seed) },
    took,
    cases: [
      { name: cut(words, LONGEST), took, ...outcomeOf(emulator, run, why) },
      ...checks.map((check) => checkCase(check, mistakes)),
    ],
  }
}

function outcomeOf(
  emulator: Emulator,
  run: FailedRun,
  why: string | undefined,
): Partial<JunitCase> {
  if (why !== undefined) return { error: { message: why, type: 'not_started', text: why } }
  const { code, took, late } = run
  if (code === 0) return problemsOf(emulator)
  const [message, type] = late
    ? [`did not end in ${formatDuration(took)} and was stopped`, 'timeout']
    : [`exited with code ${code}`, 'exit_code']
  const lines = failureLines(emulator, { ...run, mistakes: [] }, plain)
  return { failure: { message, type, text: lines.join('\n').trim() } }
}

/** What the emulator refused although the command passed: it may be on purpose. */
function problemsOf(emulator: Emulator): Partial<JunitCase> {
  const lines = problemLines(emulator, plain)
  if (lines.length === 0) return {}
  return { stdout: ['What failed in the emulator:', ...lines, ''].join('\n') }
}

function checkCase(check: string, mistakes: NonNullable<FailedRun['mistakes']>): JunitCase {
  const found = mistakes.filter((mistake) => mistake.check === check).map(({ text }) => text)
  const name = `client check ${check}`
  if (found.length === 0) return { name }
  return { name, failure: { message: found[0]!, type: check, text: found.join('\n') } }
}
