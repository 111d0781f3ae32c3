import { printable } from '../../base/text/escape.js'
import { counted } from '../../base/text/counted.js'
import { ToolError } from './tool.js'

/** The most characters of a result. Longer results have pages. */
export const LONGEST = 4000
/** What the lines of a page may take, besides the text above and below them. */
const PAGE = 3200
const LONGEST_LINE = 600

interface Paging {
  readonly page: number
  /** `end`: the last lines are on page 1, because the latest ones matter most. Default: `start`. */
  readonly from?: 'start' | 'end'
  /** A text above the lines. */
  readonly head?: string
  /** A text below the lines, before that on the other pages. */
  readonly foot?: string
  /** The text if there are no lines. */
  readonly none?: string
}

/**
 * Returns one page of lines.
 *
 * @throws {ToolError} When there is no such page.
 */
export function paged(
  lines: readonly string[],
  { page, from = 'start', head, foot, none = 'Nothing.' }: Paging,
): string {
  const pages = pagesOf(lines.length === 0 ? [none] : lines, from)
  if (page > pages.length) {
    throw new ToolError(
      `There is no page ${page}. The result has ${counted(pages.length, 'page')}.`,
    )
  }
  const shown = pages[page - 1]!
  const rest = from === 'end' ? 'Page 1 is the latest.' : ''
  const more = page < pages.length ? `More: call again with page ${page + 1}.` : 'This is the last.'
  const place = pages.length === 1 ? [] : [`Page ${page} of ${pages.length}.`, rest, more]
  return linesText([head, ...shown, foot, place.filter(Boolean).join(' ')])
}

/** Joins lines, without empty ones. No value in one of them looks like another line. */
export function linesText(lines: readonly (string | undefined)[]): string {
  return lines.flatMap((line) => (line ? [printable(line)] : [])).join('\n')
}

function pagesOf(lines: readonly string[], from: 'start' | 'end'): string[][] {
  const ordered = from === 'end' ? lines.toReversed() : lines
  const pages: string[][] = []
  let size = Infinity
  for (const each of ordered) {
    const line = cut(each, LONGEST_LINE)
    size += line.length + 1
    if (size > PAGE) {
      pages.push([])
      size = line.length + 1
    }
    pages.at(-1)!.push(line)
  }
  return from === 'end' ? pages.map((page) => page.toReversed()) : pages
}

/** The beginning of a text that is too long, with the number of characters that are missing. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, most)} … (${text.length - most} more characters)`
}

/** The end of a text that is too long. */
export function cutStart(text: string, most: number): string {
  return text.length <= most ? text : `… ${text.slice(text.length - most)}`
}
