import Formula from 'fparser'
import { compiledOnce } from './compiled-once.js'

/** A gradient step on a curve: the argument of a curve that is a function. */
export interface CurvePlace {
  /** The number of the step, from 1. */
  step: number
  /** The number of steps of the curve. */
  of: number
  /** 0 at the first step, 1 at the last. */
  progress: number
}

const KNOWN: readonly string[] = ['step', 'of', 'progress'] satisfies (keyof CurvePlace)[]

const compiled = compiledOnce((text) => new Formula(text))

/** Returns the value of a formula such as `1 / (1 + 0.1 * step)` at one gradient step. */
export function evaluateFormula(text: string, { step, of, progress }: CurvePlace): number {
  const value = compiled(text).evaluate({ step, of, progress })
  return typeof value === 'number' ? value : Number.NaN
}

/** Says what is wrong with a formula. Undefined if it is valid. */
export function findFormulaProblem(text: string): string | undefined {
  const example = 'expected a formula of step, of and progress such as 1 / (1 + 0.1 * step)'
  if (/\brandom\s*\(/.test(text)) {
    return `${example}; random() has no seed: use the key noise`
  }
  try {
    const formula = new Formula(text)
    const unknown = formula.getVariables().find((name) => !KNOWN.includes(name))
    if (unknown !== undefined) return `${example}; "${unknown}" is not one of them`
    // The library finds functions on `Math`, but also its other properties.
    const value = formula.evaluate({ step: 1, of: 10, progress: 0 })
    return typeof value === 'number' ? undefined : `${example}; it is not a number`
  } catch (error) {
    return `${example}: ${(error as Error).message}`
  }
}

/** Returns the value of arithmetic such as `2 * (3 + 4)`. Undefined if the text is anything else. */
export function evaluateArithmetic(text: string): number | undefined {
  if (!/^[\d\s.+*/^()-]{1,200}$/.test(text)) return undefined
  try {
    const value = new Formula(text).evaluate({})
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined
  } catch {
    return undefined
  }
}
