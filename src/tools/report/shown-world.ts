import { printable } from '../../base/text/escape.js'
import { RequestDetails } from '../../emulator/control/request-detail.js'
import type { Emulator } from '../../emulator/emulator.js'
import type { JournalEntry } from '../../service/engine/journal.js'
import { formatEntry, since } from '../../emulator/testing/format.js'
import type { ReportOptions } from '../../emulator/report-options.js'
import { withoutQuote } from '../../service/engine/lineage/answer-change.js'
import { markup, type Content } from './markup.js'

type WorldOptions = ReportOptions & { readonly isOne: boolean }

/** A world on a page, and what its parts share. */
export class ShownWorld {
  readonly world: Emulator
  readonly details: RequestDetails
  /** Its name in headings. Undefined if it is the only world on the page. */
  readonly name: string | undefined
  /** Where its times start: at its first entry. */
  readonly start: number
  /** The ids of the requests that the page shows. */
  readonly requests = new Set<number>()

  /** Whether the page has contents. */
  readonly #isOpen: boolean

  constructor(
    world: Emulator,
    { isOne, contents, failure, ended = failure === undefined }: WorldOptions,
  ) {
    this.world = world
    this.details = new RequestDetails(world, { checks: { unfinishedRuns: ended }, contents })
    this.name = isOne ? undefined : (world.worldName ?? 'all keys')
    this.start = world.journal.entries[0]?.at ?? world.clock.now()
    this.#isOpen = contents !== 'redacted'
  }

  /** A text without keys and secrets. */
  text(text: string): string {
    return this.world.journal.redactor.redact(text)
  }

  /** An entry in one line. */
  entry(entry: JournalEntry): string {
    if (this.#isOpen || entry.kind !== 'note') return this.text(formatEntry(entry))
    return printable(this.text(withoutQuote(entry.text, entry.quote)))
  }

  /** A text from elsewhere, which may have findings or the trace in it, without the answers that these quote. */
  withoutQuotes(text: string): string {
    if (this.#isOpen) return text
    const notes = this.world.journal.entries.filter((entry) => entry.kind === 'note')
    return [...this.details.findings, ...notes].reduce((rest, { quote }) => {
      return quote === undefined ? rest : spellingsOf(quote).reduce(withoutQuote, rest)
    }, text)
  }

  /** Formats a moment as the time since the start. */
  readonly since = (at: number): string => since(this.start, at)

  /** The anchor of a request. */
  anchorOf(id: number): string {
    return [this.world.worldName, 'request', id].filter((part) => part !== null).join('-')
  }

  /** A link to the request of an entry, if the page shows it. */
  linkTo({ id, kind }: Pick<JournalEntry, 'id' | 'kind'>, text: string): Content {
    if (kind !== 'request' || !this.requests.has(id)) return text
    return markup`<a href="#${this.anchorOf(id)}">${text}</a>`
  }

  /** A heading below that of the world, or below that of the section. */
  heading(text: string): Content {
    return this.name === undefined ? markup`<h3>${text}</h3>` : markup`<h4>${text}</h4>`
  }

  /** A part of a section that is about this world. */
  part(content: Content): Content {
    return this.name === undefined ? content : markup`<h3>${this.name}</h3>${content}`
  }
}

/** How a quote may stand in a text: as it is, as a trace shows it, and as text in JSON, such as in a difference. */
function spellingsOf(quote: string): string[] {
  const spellings = [quote, printable(quote)]
  return [...spellings, ...spellings.map((each) => JSON.stringify(each).slice(1, -1))]
}
