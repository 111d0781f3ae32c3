import { EmulatorError } from '../text/emulator-error.js'

/** One problem of a scenario. Files have a line and a column, which count from 1. */
export interface ScenarioProblem {
  /** Where in the scenario: `jobs[0].timeline[1].every`. */
  place: string
  message: string
  /** The file, as messages show it. */
  file?: string | undefined
  line?: number | undefined
  column?: number | undefined
}

/**
 * Thrown when a scenario is not valid, with all its problems. Code `SVTRAIN_BAD_SCENARIO`, or
 * `SVTRAIN_UNKNOWN_SCENARIO` if there is no scenario of that name.
 */
export class ScenarioError extends EmulatorError {
  override readonly name = 'ScenarioError'
  readonly code: 'SVTRAIN_BAD_SCENARIO' | 'SVTRAIN_UNKNOWN_SCENARIO'
  readonly problems: readonly ScenarioProblem[]

  constructor(message: string, problems: readonly ScenarioProblem[] = []) {
    super([message, ...problems.map(told)].join('\n'))
    this.problems = problems
    this.code = problems.length > 0 ? 'SVTRAIN_BAD_SCENARIO' : 'SVTRAIN_UNKNOWN_SCENARIO'
  }
}

function told({ place, message, file, line, column }: ScenarioProblem): string {
  // In the form that terminals and editors turn into a link.
  const where = line === undefined ? '' : `${file}:${line}:${column} `
  return `  ${where}${place === '' ? '' : `${place}: `}${message}`
}
