import Formula from 'fparser'

/** The place of a gradient step on a curve. */
export interface CurvePlace {
  /** From 1. */
  step: number
  /** The number of steps. */
  of: number
  /** 0 at the first step, 1 at the last. */
  progress: number
}

const KNOWN: readonly string[] = ['step', 'of', 'progress']

const compiled = new Map<string, Formula>()

/** Returns the value of a formula such as `1 / (1 + 0.1 * step)` at one gradient step. */
export function evaluateFormula(text: string, { step, of, progress }: CurvePlace): number {
  let formula = compiled.get(text)
  if (!formula) compiled.set(text, (formula = new Formula(text)))
  const value = formula.evaluate({ step, of, progress })
  return typeof value === 'number' ? value : Number.NaN
}

/** Says what is wrong with a formula, if anything is. */
export function findFormulaProblem(text: string): string | undefined {
  const example = 'expected a formula of step, of and progress such as 1 / (1 + 0.1 * step)'
  try {
    const formula = new Formula(text)
    const strange = formula.getVariables().find((name) => !KNOWN.includes(name))
    if (strange !== undefined) return `${example}; "${strange}" is not one of them`
    // The library looks functions up on `Math`, which has other properties as well.
    const value = formula.evaluate({ step: 1, of: 10, progress: 0 })
    return typeof value === 'number' ? undefined : `${example}; it is not a number`
  } catch (error) {
    return `${example}: ${(error as Error).message}`
  }
}
