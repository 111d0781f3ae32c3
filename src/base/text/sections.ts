/** A part of a page of the documentation, from a heading to the next one. */
export interface Section {
  readonly topic: string
  readonly heading: string
  readonly lines: string[]
}

/** Returns the words of a search, in lower case. Those that any question has count only if there are no others. */
export function wordsOf(search: string): string[] {
  const written = spaced(search).split(/\s+/)
  const words = written.map((word) => word.replaceAll(/^[^\w-]+|\W+$/g, '')).filter(Boolean)
  const telling = words.filter((word) => !COMMON.has(word))
  return [...new Set(telling.length > 0 ? telling : words)]
}

const COMMON: ReadonlySet<string> = new Set(
  `a about am an and any are as at be been but by can cannot could did do does for from had has have
  he her his how i if in into is it its many me much my no not of off on or our she should so some than
  that the their them then there these they this those to us was we were what when where which who
  whose why will with would you your`.split(/\s+/),
)

/**
 * Returns the sections that have more than half of the words, the best first. A section that has more of them is better,
 * a rare word counts more than one that is everywhere, a heading more than a text, a short section more than a long one,
 * and a guide more than the reference.
 */
export function findSections(sections: readonly Section[], words: readonly string[]): Section[] {
  const read = sections.map((section) => ({ section, ...occurrencesIn(section, words) }))
  const middle = read.reduce((sum, { length }) => sum + length, 0) / read.length
  const rarity = words.map((_word, index) => {
    const having = read.filter(({ found }) => found[index]! > 0).length
    return Math.log(1 + read.length / (having + 1))
  })
  const scored = read.flatMap(({ section, found, inHeading, length }) => {
    const has = found.filter((count) => count > 0).length
    if (has * 2 <= words.length) return []
    const enough = (1 + length / middle) / 2
    const parts = found.map((count, index) => {
      return rarity[index]! * (count / (count + enough) + (inHeading[index] ? 1 : 0))
    })
    const sum = parts.reduce((all, part) => all + part, 0)
    return { section, score: sum * has * (GUIDE.test(section.topic) ? 2 : 1) }
  })
  return scored.sort((one, other) => other.score - one.score).map(({ section }) => section)
}

/** The pages for users that people read from their start. */
const GUIDE = /^(?:start|how-to|explain)\//

/** Whether a section has all the words. */
export function hasAll(section: Section, words: readonly string[]): boolean {
  return occurrencesIn(section, words).found.every((count) => count > 0)
}

/** Returns the anchor that GitHub gives a heading: links of pages end with it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-')
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
 * Returns the part of a page whose heading has a word, or whose anchor it is: with its heading, to the next heading of
 * the same level or of a higher one. Undefined if no heading below the title has it.
 */
export function partAbout(page: string, word: string): string | undefined {
  const lines = readLines(page)
  const headings = lines.map(({ line, level }) => {
    return level > 1 ? plainText(line.slice(level)).toLowerCase() : ''
  })
  const linked = headings.findIndex((heading) => anchorOf(heading) === word)
  const first =
    linked >= 0
      ? linked
      : headings.findIndex((heading) => heading.split(/[^a-z0-9-]+/).includes(word))
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

/** How often a section has each word, whether its heading has it, and how many words it has in all. */
function occurrencesIn(
  { topic, heading, lines }: Section,
  words: readonly string[],
): { found: readonly number[]; inHeading: readonly boolean[]; length: number } {
  const text = spaced([topic, heading, ...lines].join('\n'))
  const title = spaced(heading)
  return {
    found: words.map((word) => text.match(patternOf(word))?.length ?? 0),
    inHeading: words.map((word) => patternOf(word).test(title)),
    length: text.split(/\s+/).length,
  }
}

/** A text in lower case, with a space between the words of a name in camel case. */
function spaced(text: string): string {
  return text.replaceAll(/(?<=[a-z\d])(?=[A-Z][a-z])/g, ' ').toLowerCase()
}

/** Finds a word in each of its forms: `arrives` is found as `arrive`, and `trained` as `training`. */
function patternOf(word: string): RegExp {
  const stem = word
    .replace(/([bdgmnprt])\1(?:ing|ed)$/, '$1')
    .replace(/(?<=\w{4})(?:ications?|ies|ied|ing|ed|es|(?<!s)s|y|(?<=\w{5})e)$/, '')
  const end = stem.length > 3 ? '' : '(?:s|ed|ing)?(?![a-z\\d])'
  const escaped = stem.replaceAll(/\W/g, String.raw`\$&`)
  return new RegExp(String.raw`(?<![a-z\d])${escaped}${end}`, 'g')
}

/** Returns the line with most of the words. */
export function excerptOf({ lines }: Section, words: readonly string[]): string {
  const patterns = words.map(patternOf)
  const texts = lines.filter((line) => !/^(?:\s*|```.*|\|[ |:-]*)$/.test(line))
  const counts = texts.map((line) => {
    return patterns.filter((pattern) => spaced(line).search(pattern) >= 0).length
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
