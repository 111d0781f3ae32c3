import { shortened } from '../../../base/text/shortened.js'
import { shownOutput } from '../../shown-output.js'
import { raisedIn } from './raised-in.js'

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
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Says in one line why a command failed: its error, with the library that raised it, or the last line that it printed. */
export function failureReason({ code, stdout, stderr }: Output): string {
  const all = shownOutput(stderr).split('\n')
  const errors = all.filter(isTelling)
  const printed = shownOutput(stdout).split('\n').filter(isTelling)
  const found =
    errors.findLast((line) => ERROR.test(line)) ??
    errors.at(-1) ??
    printed.findLast((line) => FAILED_TEST.test(line) || ERROR.test(line)) ??
    printed.at(-1) ??
    `It exited with code ${code} and printed nothing.`
  const reason = shortened(found.replaceAll(/\s+/g, ' ').trim(), LONGEST)
  const place = all.lastIndexOf(found)
  return place === -1 ? reason : reason + raisedIn(all, place)
}

function isTelling(line: string): boolean {
  return !NOISE.test(line)
}
