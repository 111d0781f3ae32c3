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

/**
 * Returns the sections that have all the words, those with the words in the heading first. If there are none, those that
 * have the most of them, if that is more than half.
 */
export function findSections(sections: readonly Section[], words: readonly string[]): Section[] {
  const scored = sections.map((section) => ({ section, ...scoreOf(section, words) }))
  const most = Math.max(...scored.map(({ count }) => count))
  if (most * 2 <= words.length) return []
  return scored
    .filter(({ count }) => count === most)
    .sort((one, other) => other.score - one.score)
    .map(({ section }) => section)
}

/** Whether a section has all the words. */
export function hasAll(section: Section, words: readonly string[]): boolean {
  return scoreOf(section, words).count === words.length
}

/** Splits a page, which is Markdown, at its headings. */
export function sectionsOf(topic: string, page: string): Section[] {
  const sections: Section[] = []
  for (const { line, level } of readLines(page)) {
    if (level > 0) sections.push({ topic, heading: plainText(line.slice(level)), lines: [] })
    else sections.at(-1)?.lines.push(line)
  }
  return sections
}

/**
 * Returns the part of a page whose heading has a word: with its heading, to the next heading of the same level or of
 * a higher one. Undefined if no heading below the title has it.
 */
export function partAbout(page: string, word: string): string | undefined {
  const lines = readLines(page)
  const first = lines.findIndex(({ line, level }) => {
    const words = line.toLowerCase().split(/[^a-z0-9-]+/)
    return level > 1 && words.includes(word)
  })
  if (first === -1) return undefined
  const [heading, ...rest] = lines.slice(first)
  const end = rest.findIndex(({ level }) => level > 0 && level <= heading!.level)
  const part = [heading!, ...(end === -1 ? rest : rest.slice(0, end))]
  return part
    .map(({ line }) => line)
    .join('\n')
    .trimEnd()
}

/** Reads the lines of a page, each with its level if it is a heading, and 0 if not. */
function readLines(page: string): { line: string; level: number }[] {
  let isCode = false
  return page.split('\n').map((line) => {
    if (line.startsWith('```')) isCode = !isCode
    const level = isCode ? 0 : (/^(#+) /.exec(line)?.[1]!.length ?? 0)
    return { line, level }
  })
}

/** How many of the words occur, and how often. A heading counts most, and the reference less than a guide. */
function scoreOf(
  { topic, heading, lines }: Section,
  words: readonly string[],
): { count: number; score: number } {
  const text = lines.join('\n').toLowerCase()
  const title = `${topic} ${heading}`.toLowerCase()
  const scores = words.map((word) => text.split(word).length - 1 + (title.includes(word) ? 10 : 0))
  const sum = scores.reduce((all, score) => all + score, 0)
  return {
    count: scores.filter((score) => score > 0).length,
    score: topic.startsWith('reference') ? sum / 2 : sum,
  }
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
