/** A part of a page of the documentation, from a heading to the next one. */
export interface Section {
  readonly topic: string
  readonly heading: string
  readonly lines: string[]
}

/** Returns the words of a search, in lower case. */
export function wordsOf(search: string): string[] {
  return search.toLowerCase().split(/\s+/).filter(Boolean)
}

/** Returns the sections that have all the words, those with the words in the heading first. */
export function findSections(sections: readonly Section[], words: readonly string[]): Section[] {
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ section }) => section)
}

/** Splits a page, which is Markdown, at its headings. */
export function sectionsOf(topic: string, page: string): Section[] {
  const sections: Section[] = []
  let isCode = false
  for (const line of page.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode
    const heading = isCode ? undefined : /^#+ (.*)$/.exec(line)?.[1]
    if (heading !== undefined) sections.push({ topic, heading: plainText(heading), lines: [] })
    else sections.at(-1)?.lines.push(line)
  }
  return sections
}

/**
 * Returns the part of a page whose heading has a word: with its heading, to the next heading of the same level or of
 * a higher one. Undefined if no heading below the title has it.
 */
export function partAbout(page: string, word: string): string | undefined {
  const lines = page.split('\n')
  const levels = levelsOf(lines)
  const first = lines.findIndex((line, index) => {
    return (
      levels[index]! > 1 &&
      line
        .toLowerCase()
        .split(/[^a-z0-9-]+/)
        .includes(word)
    )
  })
  if (first === -1) return undefined
  const length = levels.slice(first + 1).findIndex((level) => level > 0 && level <= levels[first]!)
  return lines
    .slice(first, length === -1 ? undefined : first + 1 + length)
    .join('\n')
    .trimEnd()
}

/** The level of each line that is a heading; 0 for the others. */
function levelsOf(lines: readonly string[]): number[] {
  let isCode = false
  return lines.map((line) => {
    if (line.startsWith('```')) isCode = !isCode
    return isCode ? 0 : (/^(#+) /.exec(line)?.[1]!.length ?? 0)
  })
}

/** The number of times that the words occur; 0 if one of them is missing. A heading counts most. */
function scoreOf({ topic, heading, lines }: Section, words: readonly string[]): number {
  const text = lines.join('\n').toLowerCase()
  const title = `${topic} ${heading}`.toLowerCase()
  const scores = words.map((word) => text.split(word).length - 1 + (title.includes(word) ? 10 : 0))
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0)
}

/** Returns the line with most of the words. */
export function excerptOf({ lines }: Section, words: readonly string[]): string {
  const texts = lines.filter((line) => !/^(?:\s*|```.*|\|[ |:-]*)$/.test(line))
  const counts = texts.map((line) => {
    return words.filter((word) => line.toLowerCase().includes(word)).length
  })
  const best = texts[counts.indexOf(Math.max(...counts))] ?? ''
  return plainText(best.replaceAll(/^\| | \|$/g, '').replaceAll(' | ', ' · '))
}

function plainText(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[*`]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Cuts a text at a space, so that it has at most `most` characters. */
export function cutAtSpace(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, most - 1).replace(/\s+\S*$/, '')} …`
}
