/** What a check of a release finds, and how it is printed. */

/** Something that stops a release. */
export interface Problem {
  readonly problem: string
  /** What to do about it. */
  readonly todo: string
}

/** A check that ran, or that could not run. */
export interface Check {
  readonly name: string
  /** What was found, with numbers: `1,432,100 of 1,450,000 bytes`. */
  readonly measured: string
  readonly problems: readonly Problem[]
  /** Whether it did not run. `measured` says why. */
  readonly skipped?: boolean
}

/** Returns a check from what it found. */
export function checked(name: string, measured: string, problems: readonly Problem[] = []): Check {
  return { name, measured, problems }
}

/** Returns a check that did not run. */
export function skipped(name: string, why: string): Check {
  return { name, measured: why, problems: [], skipped: true }
}

/** Runs a check. If it throws, that is its problem. */
export async function attempt(
  name: string,
  todo: string,
  run: () => Promise<string>,
): Promise<Check> {
  const started = performance.now()
  try {
    const measured = await run()
    return checked(name, `${measured}, ${secondsSince(started)}`)
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return checked(name, secondsSince(started), [{ problem, todo }])
  }
}

function secondsSince(started: number): string {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`
}

/** Whether a release may go out. */
export function isReady(checks: readonly Check[]): boolean {
  return checks.every(({ problems }) => problems.length === 0)
}

/** Returns the table of all checks, and what to do for each problem. */
export function formatChecks(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length))
  const rows = checks.map((check) => {
    return `${resultOf(check).padEnd(7)}  ${check.name.padEnd(width)}  ${check.measured}`.trimEnd()
  })
  const failed = checks.filter(({ problems }) => problems.length > 0)
  const todos = failed.flatMap(({ name, problems }) => [
    '',
    name,
    ...problems.flatMap(({ problem, todo }) => [
      `  ${problem.trimEnd().replaceAll('\n', '\n  ')}`,
      `  → ${todo}`,
    ]),
  ])
  const count = (result: string): number => {
    return checks.filter((check) => resultOf(check) === result).length
  }
  const sums = `${count('pass')} passed, ${count('fail')} failed, ${count('skipped')} skipped`
  return [...rows, ...todos, '', sums].join('\n')
}

/** Returns the result of a check in one word. */
export function resultOf({ problems, skipped: isSkipped }: Check): 'pass' | 'fail' | 'skipped' {
  if (problems.length > 0) return 'fail'
  return isSkipped ? 'skipped' : 'pass'
}
