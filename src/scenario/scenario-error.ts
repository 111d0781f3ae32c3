import { EmulatorError } from '../text/emulator-error.js'

/** One thing that is wrong with a scenario. Line and column count from 1, where there is a file. */
export interface ScenarioProblem {
  /** Where in the scenario: `jobs[0].timeline[1].every`. */
  place: string
  message: string
  /** As it is shown to the user. */
  file?: string | undefined
  line?: number | undefined
  column?: number | undefined
}

/**
 * Raised where a scenario cannot be used: all that is wrong with it, at once. Code
 * `SVTRAIN_BAD_SCENARIO`, or `SVTRAIN_UNKNOWN_SCENARIO` where there is none of that name.
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
  // The form that terminals and editors make a link of.
  const where = line === undefined ? '' : `${file}:${line}:${column} `
  return `  ${where}${place === '' ? '' : `${place}: `}${message}`
}
