import { parseJson } from '../../base/text/json-text.js'
import { beginningOf } from '../../base/text/shortened.js'
import type { RequestDetail } from '../../emulator/control/schemas/requests.js'
import type { ReportContents } from '../../emulator/report-options.js'
import { withoutContents } from './contents.js'
import { markup, type Content } from './markup.js'
import { code, figure } from './page.js'

/** The most characters of one body, and of all bodies on a page. */
const LONGEST_BODY = 10_000
const MOST_TEXT = 4_000_000

type Message = RequestDetail['request']

/** Shows bodies, as long as the page has room for them. */
export class Bodies {
  readonly #contents: ReportContents
  #room = MOST_TEXT

  constructor(contents: ReportContents) {
    this.#contents = contents
  }

  /** A body as a report may show it: as JSON with line ends, or as it is. */
  text(text: string): string {
    const open = this.#contents === 'redacted' ? withoutContents(text) : text
    const parsed = parseJson(open)
    return parsed === undefined ? open : JSON.stringify(parsed, null, 2)
  }

  /** The body of a message. */
  of({ body, size, state }: Pick<Message, 'body' | 'size' | 'state'>): Content {
    if (state === 'dropped') {
      return quiet(
        `The body of ${characters(size)} is no longer kept: newer ones needed its memory.`,
      )
    }
    if (body === null || body === '') return quiet('No body.')
    if (this.#room <= 0)
      return quiet(`The body of ${characters(size)} is left out: the page is full.`)
    const text = this.text(body)
    const shown = beginningOf(text, LONGEST_BODY)
    this.#room -= shown.length
    const isCutHere = shown !== text
    if (!isCutHere && state !== 'cut') return code(shown)
    // Without contents, the text says less than the part of the body that is kept.
    const first = isCutHere ? shown.length : body.length
    const all = state === 'cut' ? size : text.length
    return [code(shown), quiet(`The first ${figure(first)} of ${characters(all)}.`)]
  }
}

function quiet(text: string): Content {
  return markup`<p class="quiet">${text}</p>`
}

function characters(count: number): string {
  return `${figure(count)} ${count === 1 ? 'character' : 'characters'}`
}

/** Headers, one per line. */
export function headerLines(headers: Readonly<Record<string, string>>): Content {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return lines.length === 0 ? quiet('No headers.') : code(lines.join('\n'))
}
