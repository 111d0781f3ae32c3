import { RequestDetails } from '../../emulator/control/request-detail.js'
import type { Emulator } from '../../emulator/emulator.js'
import type { JournalEntry } from '../../service/engine/journal.js'
import { since } from '../../emulator/testing/format.js'
import type { ClientChecks } from '../../emulator/testing/client-checks.js'
import type { ReportContents, ReportOptions } from '../../emulator/report-options.js'
import { withoutQuotedAnswers } from '../../service/engine/lineage/changed-answer.js'
import { markup, type Content } from './markup.js'

/** What failed or was stopped did not come to the end of its runs, unless the client checks after it failed. */
function checksAfter(failure: string | undefined): ClientChecks {
  const isCut = failure !== undefined && !/\bclient checks?\b/i.test(failure)
  return isCut ? { unfinishedRuns: false } : {}
}

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

  readonly #contents: ReportContents

  constructor(
    world: Emulator,
    { isOne, contents = 'shown', failure }: ReportOptions & { isOne: boolean },
  ) {
    this.world = world
    this.#contents = contents
    this.details = new RequestDetails(world, checksAfter(failure))
    this.name = isOne ? undefined : (world.worldName ?? 'all keys')
    this.start = world.journal.entries[0]?.at ?? world.clock.now()
  }

  /** A text without keys and secrets, and without answers if the page has no contents. */
  text(text: string): string {
    const shown = this.world.journal.redactor.redact(text)
    return this.#contents === 'redacted' ? withoutQuotedAnswers(shown) : shown
  }

  /** Formats a moment as the time since the start. */
  since(at: number): string {
    return since(this.start, at)
  }

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
