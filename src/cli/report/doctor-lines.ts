import { counted } from '../../base/text/counted.js'
import type { NamedDiagnosis } from '../doctor/diagnose.js'
import { printable, type Output } from '../terminal.js'

/** The output of `doctor`: a line for each check that found nothing, and what is wrong. */
export function doctorLines(
  diagnoses: readonly NamedDiagnosis[],
  { paint }: Pick<Output, 'paint'>,
): string[] {
  const lines = diagnoses.flatMap(({ fine, problems }) => {
    if (problems.length === 0) return [`${paint('green', 'ok   ')}  ${printable(fine)}`]
    return problems.flatMap(({ what, effect, repair }) => [
      `${paint('red', 'wrong')}  ${printable(what)}`,
      `       ${printable(effect)}`,
      `       ${paint('bold', 'Repair:')} ${printable(repair)}`,
    ])
  })
  const count = diagnoses.reduce((sum, { problems }) => sum + problems.length, 0)
  const end = count === 0 ? 'Nothing is wrong.' : `${counted(count, 'problem')}.`
  return [...lines, '', end]
}
