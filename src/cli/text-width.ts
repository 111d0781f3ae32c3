import stringWidth from 'fast-string-width'

/** The width of text that goes to a file, where it has a limit. */
export const COLUMNS_OF_FILES = 100

/** How many columns a text takes. Color codes take none. */
export function widthOf(text: string): number {
  return stringWidth(text)
}

/** Shortens a text without color codes to a width. An ellipsis shows that something is missing. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  if (width <= 0) return ''
  let left = ''
  let taken = 0
  for (const character of text) {
    taken += widthOf(character)
    if (taken > width - 1) break
    left += character
  }
  return `${left}…`
}

/** The least room for text beside an indent. With less, the terminal breaks the lines. */
const LEAST_ROOM = 20

/**
 * Breaks a line so that it fits: at spaces, and inside of a word that is longer than a line. URLs stay whole, so
 * that terminals can open them.
 *
 * @param columns The width of the terminal. Undefined: a file, where no line is broken.
 * @param indent The spaces in front of each line but the first.
 */
export function wrapped(text: string, columns: number | undefined, indent: number): string[] {
  if (columns === undefined || columns - indent < LEAST_ROOM || widthOf(text) <= columns) {
    return [text]
  }
  const lines: string[] = []
  let line = ''
  const next = (start: string): void => {
    lines.push(line)
    line = ' '.repeat(indent) + start
  }
  for (const word of text.split(/(?<=\S) (?=\S)/)) {
    const start = line === '' ? '' : `${line} `
    const isFirst = line === '' && !isBreakable(word)
    if (isFirst || widthOf(start) + widthOf(word) <= columns) line = start + word
    else if (widthOf(word) <= columns - indent || !isBreakable(word)) next(word.trimStart())
    else {
      let room = columns - widthOf(start)
      // A word that was not broken may have taken the whole line.
      if (room > 0) line = start
      for (const character of word) {
        const width = widthOf(character)
        if (width > room) {
          next('')
          room = columns - indent
        }
        line += character
        room -= width
      }
    }
  }
  return [...lines, line]
}

/** Breaks each line of a text so that it fits. What continues a line has its indent. */
export function fitted(text: string, columns: number | undefined): string[] {
  return text.split('\n').flatMap((line) => wrapped(line, columns, /^ */.exec(line)![0].length))
}

/** A color code must stay whole. */
function isBreakable(word: string): boolean {
  return !word.includes('://') && !word.includes('\u001b')
}
