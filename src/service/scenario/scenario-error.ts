import { EmulatorError } from '../../base/text/emulator-error.js'

/** One problem of a scenario. */
export interface ScenarioProblem {
  /** The path of the wrong value, such as `jobs[0].timeline[1].every`. */
  place: string
  /** What is wrong. */
  message: string
  /** The file, as messages show it. Undefined if the scenario did not come from a file. */
  file?: string | undefined
  /** The line in the file, from 1. In TypeScript and JavaScript files, only of a function that threw. */
  line?: number | undefined
  /** The column in the line, from 1. */
  column?: number | undefined
  /** The allowed values or keys, if they can be listed. */
  allowed?: readonly string[] | undefined
  /** The allowed value or key that is most similar to the wrong one. */
  nearest?: string | undefined
  /** Whether there may be others: too many to list, or in what was not checked because of it, such as names of secrets. */
  hidesOthers?: true | undefined
}

/**
 * Thrown when a scenario is not valid. `problems` lists what is wrong. Code
 * `SVTRAIN_BAD_SCENARIO`, or `SVTRAIN_UNKNOWN_SCENARIO` if there is no scenario of that name.
 */
export class ScenarioError extends EmulatorError {
  override readonly name = 'ScenarioError'
  readonly code: 'SVTRAIN_BAD_SCENARIO' | 'SVTRAIN_UNKNOWN_SCENARIO'
  /** What is wrong: at most 100 problems, or 5 of the syntax. Empty if there is no scenario of that name. */
  readonly problems: readonly ScenarioProblem[]

  /**
   * What the problems belong to: `mine.yaml cannot be used`. Without problems, the first line of the message.
   *
   * @internal
   */
  readonly heading: string

  /** @param text - What the problems belong to, without a colon. Without problems, the whole message. */
  constructor(text: string, problems: readonly ScenarioProblem[] = []) {
    const hasProblems = problems.length > 0
    super(hasProblems ? [`${text}:`, ...problems.map(formatProblem)].join('\n') : text)
    this.problems = problems
    this.heading = hasProblems ? text : text.split('\n', 1)[0]!
    this.code = hasProblems ? 'SVTRAIN_BAD_SCENARIO' : 'SVTRAIN_UNKNOWN_SCENARIO'
  }
}

function formatProblem({ place, message, file, line, column = 1 }: ScenarioProblem): string {
  // Terminals and editors turn this form into a link.
  const where = line === undefined ? '' : `${file}:${line}:${column} `
  return `  ${where}${problemText({ place, message })}`
}

/** What is wrong, after the place in the document. */
export function problemText({
  place,
  message,
}: Pick<ScenarioProblem, 'place' | 'message'>): string {
  return place === '' ? message : `${place}: ${message}`
}
