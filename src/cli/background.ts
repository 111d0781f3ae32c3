import { BackgroundErrors } from '../base/text/background-errors.js'
import { printable } from '../base/text/escape.js'

let tell = (text: string): void => void process.stderr.write(`${text}\n`)
let last: string | undefined

/** The place for background errors of the command itself: each is one line on stderr. A world has its journal. */
export const background = new BackgroundErrors({
  show({ text }) {
    // A timer may fail at every beat.
    if (text !== last) tell(printable(text))
    last = text
  },
})

/** Has background errors told by `tellText`, which must not throw. Default: they are written to stderr. */
export function tellBackgroundErrors(tellText: (text: string) => void): void {
  tell = tellText
}
