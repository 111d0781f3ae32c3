import type { Output } from '../terminal.js'
import { cut, widthOf, wrapped } from '../text-width.js'

type Look = Pick<Output, 'paint'> & { columns: number }

/** The narrowest column of a table, unless it has too many of them. */
const NARROWEST = 8
const GAP = '  '
/** Begins each line of a box. */
const BAR = '│ '

/** Formats Markdown so that it fits into a terminal. Code stays as it is, so that it can be copied. */
export function markdownLines(markdown: string, look: Look): string[] {
  const lines = markdown.split('\n')
  const shown: string[] = []
  for (let start = 0; start < lines.length;) {
    const kind = kindOf(lines[start]!)
    let end = start + 1
    if (kind === 'code') {
      while (end < lines.length && !isFence(lines[end]!)) end++
      end++
    } else if (kind === 'table') while (kindOf(lines[end] ?? '') === 'table') end++
    shown.push(...formatted[kind](lines.slice(start, end), look))
    start = end
  }
  return shown
}

type Kind = 'code' | 'table' | 'heading' | 'box' | 'text'

function isFence(line: string): boolean {
  return line.trimStart().startsWith('```')
}

function kindOf(line: string): Kind {
  if (isFence(line)) return 'code'
  if (line.startsWith('|')) return 'table'
  if (line.startsWith('>')) return 'box'
  return line.startsWith('#') ? 'heading' : 'text'
}

const formatted: Readonly<Record<Kind, (lines: readonly string[], look: Look) => string[]>> = {
  code: (lines) => [...lines],
  heading: (lines, { paint, columns }) => {
    return lines.flatMap((line) => wrapped(paint('bold', line), columns, 2))
  },
  // An alert of GitHub, such as `> [!WARNING]`, or a quotation.
  box: (lines, { paint, columns }) => {
    return lines.flatMap((line) => {
      const text = line.replace(/^> ?/, '')
      const alert = /^\[!(\w+)\]$/.exec(text)?.[1]
      if (alert !== undefined) return [BAR + paint('bold', alert)]
      return wrapped(text, columns - BAR.length, 0).map((part) => BAR + part)
    })
  },
  text: (lines, { columns }) => {
    // The text of a list item begins below its first letter.
    return lines.flatMap((line) => {
      return wrapped(line, columns, /^ *(?:(?:[-*]|\d+\.) )?/.exec(line)![0].length)
    })
  },
  table: (lines, look) =>
    lines.every((line) => widthOf(line) <= look.columns) ? [...lines] : tableLines(lines, look),
}

/** A table whose cells have several lines, because it is too wide. */
function tableLines(lines: readonly string[], { paint, columns }: Look): string[] {
  const [head = [], , ...rows] = lines.map(cellsOf)
  const natural = head.map((_, column) => {
    return Math.max(...[head, ...rows].map((row) => widthOf(row[column] ?? '')))
  })
  const widths = fitting(natural, columns - GAP.length * (natural.length - 1))
  const format = (row: readonly string[]): string[] => {
    const cells = widths.map((width, column) => cellLines(row[column] ?? '', width))
    const height = Math.max(...cells.map(({ length }) => length))
    return Array.from({ length: height }, (_, line) => {
      const parts = cells.map((cell, column) => {
        const text = cell[line] ?? ''
        return text + ' '.repeat(widths[column]! - widthOf(text))
      })
      return parts.join(GAP).trimEnd()
    })
  }
  return [
    ...format(head).map((line) => paint('bold', line)),
    widths.map((width) => '─'.repeat(width)).join(GAP),
    // A blank line tells rows of several lines apart.
    ...rows.flatMap((row, index) => [...(index === 0 ? [] : ['']), ...format(row)]),
  ]
}

function cellsOf(line: string): string[] {
  const cells = line.split(/(?<!\\)\|/).slice(1, -1)
  return cells.map((cell) => cell.trim().replaceAll(String.raw`\|`, '|'))
}

/** Makes the widest columns narrower, until all fit. */
function fitting(natural: readonly number[], room: number): number[] {
  const widths = [...natural]
  const narrowest = Math.max(1, Math.min(NARROWEST, Math.floor(room / widths.length)))
  for (let left = widths.reduce((sum, width) => sum + width, 0) - room; left > 0; left--) {
    const widest = widths.indexOf(Math.max(...widths))
    if (widths[widest]! <= narrowest) break
    widths[widest]!--
  }
  return widths
}

/** Breaks the text of a cell. It has to fit: unlike `wrapped`, this breaks URLs, and has no least room. */
function cellLines(text: string, width: number): string[] {
  const lines = ['']
  for (let word of text.split(' ')) {
    const line = lines.at(-1)!
    const next = line === '' ? word : `${line} ${word}`
    if (widthOf(next) <= width) {
      lines[lines.length - 1] = next
      continue
    }
    if (line !== '') lines.push('')
    while (widthOf(word) > width) {
      const part = cut(`${word} `, width + 1).slice(0, -1)
      lines[lines.length - 1] = part
      lines.push('')
      word = word.slice(part.length)
    }
    lines[lines.length - 1] = word
  }
  return lines
}
