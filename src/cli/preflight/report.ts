import type { Bill } from '../../tools/bill/bill-types.js'

/** What was checked of a command: `no-go` and `not checked` say why. */
export interface Check {
  readonly name: 'program' | 'hosts' | 'calls' | 'data' | 'rewards' | 'kill' | 'bill'
  readonly state: 'go' | 'no-go' | 'not checked'
  /** What was seen, as sentences. */
  readonly text: string
  /** The words of the command that shows more. Undefined: the text says everything. */
  readonly more?: readonly string[] | undefined
  /** Whether there is no go without it. Undefined: yes. */
  readonly isOptional?: true
}

/** Whether a command is ready for a long training. */
export interface PreflightReport {
  readonly command: readonly string[]
  readonly checks: readonly Check[]
  /** What the run without a kill used. */
  readonly bill: Bill | undefined
  /** How long each run took, in milliseconds. The first one has no kill. */
  readonly took: readonly number[]
}

/** The checks that stand in the way of a go: what failed, and what could not be judged. */
export function obstacles({ checks }: Pick<PreflightReport, 'checks'>): Check[] {
  return checks.filter(({ state, isOptional }) => {
    return state === 'no-go' || (state === 'not checked' && isOptional !== true)
  })
}

/** The report as JSON has it. */
export function reportJson(report: PreflightReport): object {
  const { command, checks, bill, took } = report
  const { text: _, ...figures } = bill ?? { text: '' }
  return {
    go: obstacles(report).length === 0,
    command,
    checks: checks.map(({ name, state, text, more, isOptional = false }) => {
      return { name, state, text, optional: isOptional, more: more?.join(' ') ?? null }
    }),
    bill: bill ? figures : null,
    took,
  }
}
