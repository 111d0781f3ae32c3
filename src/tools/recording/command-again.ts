import { isPage } from '../../base/text/evidence.js'
import { unescapeHtml } from '../../base/text/escape.js'

/** How a report, and the output of `exec`, say what runs the same again. */
const AGAIN = /Run it again(?::|<\/h2>)[^]{0,600}?\bexec ((?:\S.*? )??-- .+?)(?:<\/pre>|$)/gm
/** A scenario that is made from a run has its own. */
const REPLACED = /--(?:scenario|seed) (?:'[^']*'|\S+) (?=.*-- )/g

/** Finds the options and the program of the `exec` that wrote a text. Undefined if there is none, or several. */
export function commandAgain(text: string): string | undefined {
  const found = Array.from(text.replaceAll(/ \\\n\s*/g, ' ').matchAll(AGAIN), ([, words = '']) => {
    return (isPage(text) ? unescapeHtml(words) : words).replaceAll(REPLACED, '').trimEnd()
  })
  const [first, ...others] = new Set(found)
  return others.length === 0 ? first : undefined
}
