import { counted } from '../../base/text/counted.js'
import { printable } from '../../base/text/escape.js'
import { beginningOf } from '../../base/text/shortened.js'
import { ToolError } from './tool.js'

/** The most characters of a result. Longer results have pages. */
export const LONGEST = 4000
/** What the lines of a page may take, besides the text below them. */
const PAGE = 3800
const LONGEST_LINE = 600

interface Paging {
  readonly page: number
  /** Words that each line must have. */
  readonly filter?: string | undefined
  /** `end`: the last lines are on page 1, because the latest ones matter most. Default: `start`. */
  readonly from?: 'start' | 'end'
  /** The lines are in sections, each with a heading and indented lines. Those whose heading begins so are on page 1. */
  readonly head?: string | undefined
  /** The text if there are no lines. */
  readonly none: string
}

/**
 * Returns one page of lines.
 *
 * @throws {ToolError} When there is no such page.
 */
export function paged(
  lines: readonly string[],
  { page, filter = '', from = 'start', none, head }: Paging,
): string {
  const words = filter.toLowerCase().split(/\s+/)
  const found = lines.filter((line) => words.every((word) => line.toLowerCase().includes(word)))
  if (found.length === 0 && lines.length > 0) {
    return `None of ${counted(lines.length, 'line')} has all of these words: ${cut(filter, 80)}.`
  }
  const isSectioned = filter === '' && head !== undefined
  const [above, below] = isSectioned ? headOf(found, head) : [[], found]
  const pages = pagesOf(found.length === 0 ? [none] : below, { from, above, isSectioned })
  if (page > pages.length) {
    throw new ToolError(
      `There is no page ${page}. The result has ${counted(pages.length, 'page')}.`,
    )
  }
  const shown = pages[page - 1]!
  if (pages.length === 1) return linesText(shown)
  const rest = from === 'end' ? 'Page 1 is the latest. ' : ''
  const more = page < pages.length ? `More: call again with page ${page + 1}.` : 'This is the last.'
  return linesText([...shown, `Page ${page} of ${pages.length}. ${rest}${more}`])
}

/** Takes out the lines that stand above all others, as far as they leave room. */
function headOf(lines: readonly string[], start: string): [above: string[], below: string[]] {
  const above: string[] = []
  const below: string[] = []
  let isAbove = false
  for (const line of lines) {
    isAbove = line.startsWith(start) || (isAbove && line.startsWith(' '))
    if (isAbove) above.push(cut(line, LONGEST_ABOVE))
    else below.push(line)
  }
  const more = above.splice(MOST_ABOVE).length
  return [more > 0 ? [...above, `  … and ${more} more`] : above, below]
}

const LONGEST_ABOVE = 200
const MOST_ABOVE = 12

interface Pages {
  readonly from: 'start' | 'end'
  /** What stands above page 1. */
  readonly above: readonly string[]
  /** Whether a page that begins below a heading repeats it. */
  readonly isSectioned: boolean
}

function pagesOf(lines: readonly string[], { from, above, isSectioned }: Pages): string[][] {
  const shown = lines.map((line) => cut(line, LONGEST_LINE))
  const headings = isSectioned ? headingsOf(shown) : []
  const room = PAGE - Math.max(0, ...headings.map((heading = '') => heading.length + 1))
  const pages: number[][] = [[]]
  let size = linesText(above).length
  for (const at of from === 'end' ? [...shown.keys()].reverse() : shown.keys()) {
    const { length } = shown[at]!
    size += length + 1
    if (size > room) {
      pages.push([])
      size = length + 1
    }
    pages.at(-1)!.push(at)
  }
  return pages.map((page, index) => {
    const places = from === 'end' ? page.toReversed() : page
    const heading = headings[places[0] ?? -1]
    return [
      ...(index === 0 ? above : []),
      ...(heading === undefined ? [] : [heading]),
      ...places.map((at) => shown[at]!),
    ]
  })
}

/** Returns the heading that each line is below. Only indented lines are below one. */
function headingsOf(lines: readonly string[]): (string | undefined)[] {
  let heading: string | undefined
  return lines.map((line) => {
    if (line.startsWith(' ')) return heading
    if (line !== '') heading = cut(line, LONGEST_ABOVE)
    return undefined
  })
}

/** The beginning of a text that is too long, with the number of characters that are missing. */
export function cut(text: string, most: number): string {
  const start = beginningOf(text, most)
  if (start === text) return text
  return `${start} … (${text.length - start.length} more characters)`
}

/** The most characters of a value of a record. */
const LONGEST_VALUE = 700

/** Writes a record, a line for each field that has a value. */
export function recordLines(record: object): string[] {
  return Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
    if (saysNothing(value)) return []
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return [`${name}: ${cut(text, LONGEST_VALUE)}`]
  })
}

/** A text such as `{}` says something: it may be the body of a request. */
function saysNothing(value: unknown): boolean {
  if (typeof value !== 'object') return value === undefined || value === '' || value === false
  return value === null || Object.keys(value).length === 0
}

/** Joins lines. No value in one of them looks like another line. */
export function linesText(lines: readonly string[]): string {
  return lines.map(printable).join('\n')
}
