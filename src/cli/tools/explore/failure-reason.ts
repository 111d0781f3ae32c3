import { shortened } from '../../../base/text/shortened.js'
import { shownOutput } from '../../shown-output.js'
import { originOf, originText, type Origin } from './raised-in.js'

/** The longest reason, in characters. */
const LONGEST = 300

/** The first line of an error as Node.js, Python or Java print it. */
const ERROR =
  /^(?:Uncaught )?(?:[A-Za-z_$][\w$.]*)?(?:Error|Exception|Interrupt|Exit)(?: \[\w+\])?(?::|$| in thread )/
/** A line that says which test failed, or what the assertion said. */
const FAILED_TEST = /^(?:FAILED|ERROR|not ok|E {3,})/
/** Lines that end an output and explain nothing. */
const NOISE = /^(?:Node\.js v[\d.]+|\s+at .*|[{}\s]*|\s*\^+|=+ .* =+)$/

interface Output {
  readonly code?: number | undefined
  readonly stdout: string
  readonly stderr: string
}

/** Says in one line why a command failed: its error, with the place that raised it, or the last line that it printed. */
export function failureReason(output: Output): string {
  const { found, origin } = lastError(output)
  const reason = shortened(found.replaceAll(/\s+/g, ' ').trim(), LONGEST)
  return origin ? reason + originText(origin) : reason
}

/** The same of the error that ended a program in Python. Undefined if its output shows none. */
export function uncaughtError(output: Output): string | undefined {
  const lines = shownOutput(output.stderr).split('\n')
  const start = lines.findLastIndex((line) => line.includes('Traceback (most recent call last)'))
  const error = lines.slice(start).findLast((line) => ERROR.test(line))
  // An error that a library only logs did not come through the whole program.
  const isOfProgram = start !== -1 && /^[\s|+]*File .*, in <module>$/.test(lines[start + 1] ?? '')
  return isOfProgram && error !== undefined ? failureReason(output) : undefined
}

/** Where the error was raised that a command ended with. Undefined if its output does not tell. */
export function failureOrigin(output: Output): Origin | undefined {
  return lastError(output).origin
}

function lastError({ code, stdout, stderr }: Output): { found: string; origin?: Origin } {
  const all = shownOutput(stderr).split('\n')
  const errors = all.filter(isTelling)
  const printed = shownOutput(stdout).split('\n').filter(isTelling)
  const found =
    errors.findLast((line) => ERROR.test(line)) ??
    printed.findLast((line) => FAILED_TEST.test(line) || ERROR.test(line)) ??
    // It may be what a library logs.
    errors.at(-1) ??
    printed.at(-1) ??
    `It exited with code ${code} and printed nothing.`
  const place = all.lastIndexOf(found)
  const origin = place === -1 ? undefined : originOf(all, place)
  return { found, ...(origin && { origin }) }
}

function isTelling(line: string): boolean {
  return !NOISE.test(line)
}
