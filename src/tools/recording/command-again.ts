import { isPage, RUN_AGAIN } from '../../base/text/evidence.js'
import { unescapeHtml } from '../../base/text/escape.js'

/** The words of a call of `exec` in the first line. It goes on after a line end in quotes, or behind a backslash. */
const CALL = /^(?:\\\n|[^\n])*?\bexec (?<words>(?:\\[^]|'[^']*'|[^\\'\n])*)/
const WORD = /(?:\\[^\n]|'[^']*'|[^\\'\s])+/g
/** Options with a value, which a scenario that is made from a run has itself. */
const REPLACED = new Set(['--scenario', '--seed'])

/**
 * Finds the options and the program of the `exec` that wrote a report, or the log of a command. Undefined if there is
 * none, or several.
 */
export function commandAgain(text: string): string | undefined {
  const place = isPage(text) ? preformatted : linesBelow
  const found = text
    .split(RUN_AGAIN)
    .slice(1)
    .flatMap((below) => {
      const { words: call = '' } = CALL.exec(place(below))?.groups ?? {}
      const words: string[] = call.match(WORD) ?? []
      const end = words.indexOf('--')
      return end === -1 ? [] : [keptWords(words, end).join(' ')]
    })
  const [first, ...others] = new Set(found)
  return others.length === 0 ? first : undefined
}

/** The text in a box of its own below a heading of a page. */
function preformatted(page: string): string {
  const { text = '' } = /^<\/h2>[^]*?<pre>(?<text>[^]*?)<\/pre>/.exec(page)?.groups ?? {}
  return unescapeHtml(text).trimStart()
}

/** The lines of a log below the one of a heading, which ends with a colon. */
function linesBelow(log: string): string {
  return log.startsWith(':') ? log.slice(log.indexOf('\n') + 1) : ''
}

function keptWords(words: readonly string[], end: number): string[] {
  return words.filter((word, at) => {
    return at >= end || !(REPLACED.has(word) || REPLACED.has(words[at - 1] ?? ''))
  })
}
