import type { Mutant } from './draw.js'

/** Mistakes that change nothing that matters in these programs. The list is older than all results. */
export const excluded: readonly (Partial<Pick<Mutant, 'operator' | 'file' | 'code'>> & {
  reason: string
})[] = [
  {
    operator: 'failed-is-done',
    reason:
      'After each job, the programs look for its checkpoint. They find none, and train again as before.',
  },
  {
    operator: 'drop-resume',
    code: "state.get('job')",
    reason: 'Only a program that was killed has a job to go on with. That is what --crash is for.',
  },
  {
    operator: 'hide-error',
    file: 'judged',
    reason:
      'The group is left out, as after each judgment that fails, or the next call fails in the same way.',
  },
  {
    operator: 'skip-nan-check',
    file: 'sft',
    reason: 'Nothing reads the losses.',
  },
  {
    operator: 'skip-nan-check',
    code: 'Number.isFinite(table.mean())',
    reason: 'The mean leaves out what is no number, so the check never fails.',
  },
  {
    operator: 'first-page-only',
    file: 'metrics',
    reason: 'It reads all pages, and only waits before each one.',
  },
]

/** Why a mutant is not drawn. Undefined if it may be. */
export function whyExcluded({ operator, file, code }: Mutant): string | undefined {
  return excluded.find((each) => {
    return (
      each.operator === operator && (each.file ?? file) === file && (each.code ?? code) === code
    )
  })?.reason
}
