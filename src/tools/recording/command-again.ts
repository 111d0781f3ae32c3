import { unescapeHtml } from '../../base/text/escape.js'

/** How a report, and the output of `exec`, say what runs the same again. */
const AGAIN = /Run it again(?::|<\/h2>)[^]{0,600}?\bexec ((?:\S.*? )??)-- (.+?)(?:<\/pre>|$)/gm
/** The scenario and the seed of that run: a scenario that is made from it has its own. */
const REPLACED = /--(?:scenario|seed) (?:'[^']*'|\S+) /g

/** The options and the program of the `exec` that wrote a report or a log, as words for a shell. */
export interface CommandAgain {
  readonly options: string
  readonly command: string
}

/** Finds the command of a report or a log. Undefined if it has none, or several. */
export function commandAgain(
  text: string,
  { isPage }: { isPage: boolean },
): CommandAgain | undefined {
  const found = Array.from(text.replaceAll(/ \\\n\s*/g, ' ').matchAll(AGAIN), (match) => {
    const [options = '', command = ''] = match.slice(1).map(isPage ? unescapeHtml : String)
    return { options: options.replaceAll(REPLACED, ''), command: command.trimEnd() }
  })
  const [first, ...others] = found
  const isOne = others.every(({ options, command }) => {
    return options === first!.options && command === first!.command
  })
  return isOne ? first : undefined
}
