import { counted } from '../../base/text/counted.js'
import { didYouMean } from '../../base/text/nearest.js'
import {
  findTopic,
  listedPages,
  readTopic,
  topicNames,
  topicSpellings,
} from '../../emulator/adapters/docs-pages.js'
import {
  excerptOf,
  findSections,
  hasAll,
  partAbout,
  sectionsOf,
  wordsOf,
} from '../../base/text/sections.js'
import { shortenedAtSpace } from '../../base/text/shortened.js'
import type { Run } from '../command.js'
import type { docs } from '../commands/docs.js'
import type { Terminal } from '../terminal.js'
import { wrapped } from '../text-width.js'
import { UsageError } from '../usage-error.js'

/** Prints a page of the documentation as Markdown, the list of pages, or the places of some words. */
export const runCommand: Run<typeof docs> = async (
  { topic: [topic, ...more], search },
  { terminal, args },
) => {
  const topics = topicNames()
  if (search !== undefined) {
    // Without quotes, the other words of a search look like topics.
    const isTopic = topic !== undefined && findTopic(topic, topics) !== undefined
    const isFirst = args.indexOf(topic ?? '') < args.findIndex((each) => /^--search\b/.test(each))
    const isPage = isTopic && (isFirst || more.length === 0)
    const words = [search, ...(isPage ? more : [topic ?? '', ...more])]
    return printMatches(words.join(' '), { topic: isPage ? topic : undefined, topics }, terminal)
  }
  if (more.length > 0) {
    const words = [topic, ...more].join(' ')
    throw new UsageError(
      `docs takes one topic, not "${words}". Search with: docs --search ${words}`,
      'docs',
    )
  }
  if (topic === undefined) {
    terminal.write(contents(terminal.columns?.()))
    return 0
  }
  const page = pageAbout(topic, topics)
  if (typeof page !== 'string') {
    terminal.writeError(`No page is about "${topic}". Sections with the word:`)
    printSections(page, wordsOf(topic), terminal)
    return 0
  }
  const columns = terminal.columns?.()
  if (columns === undefined) terminal.write(page)
  else {
    const { markdownLines } = await import('../report/markdown-lines.js')
    terminal.write(markdownLines(page, { paint: terminal.paint, columns }).join('\n'))
  }
  return 0
}

/**
 * Returns a page, or the section of it that a link ends with. For another word, it returns the first part of a page that
 * has the word in its heading. If only the text of guides has it, it returns those sections.
 *
 * @throws {UsageError} When no guide has it.
 */
function pageAbout(written: string, topics: readonly string[]): string | FoundSection[] {
  const found = findTopic(written, topics)
  if (found !== undefined) {
    const page = readTopic(found)
    const [, anchor] = written.toLowerCase().split('#')
    return anchor ? (partAbout(page, anchor) ?? page) : page
  }
  const guides = suggestion(written, topics) === '' ? topics.filter(isGuide) : []
  for (const topic of guides) {
    const part = partAbout(readTopic(topic), written.toLowerCase())
    if (part !== undefined) return `${part}\n\nFrom the page "${topic}".`
  }
  const sections = sectionsWith(wordsOf(written), guides)
  return sections.length > 0 ? sections : readTopic(named(written, topics))
}

function isGuide(topic: string): boolean {
  return !topic.startsWith('reference')
}

function sectionsWith(words: readonly string[], topics: readonly string[]): FoundSection[] {
  const sections = topics.flatMap((each) => sectionsOf(each, readTopic(each)))
  return findSections(sections, words)
}

type FoundSection = ReturnType<typeof findSections>[number]

/** @throws {UsageError} When there is no such page. */
function named(written: string, topics: readonly string[]): string {
  const found = findTopic(written, topics)
  if (found !== undefined) return found
  throw new UsageError(
    `Unknown topic "${written}".${suggestion(written, topics)} Topics: ${topics.join(', ')}. Search with: docs --search "${written}"`,
    'docs',
  )
}

/** Names the nearest topic. Empty if all are far. */
function suggestion(written: string, topics: readonly string[]): string {
  return didYouMean(written, topicSpellings(topics))
}

function contents(columns: number | undefined): string {
  const listed = listedPages()
  const width = Math.max(...[...listed.values()].flat().map(({ topic }) => topic.length))
  const sections = [...listed].flatMap(([title, pages]) => [
    `${title}:`,
    ...pages.flatMap(({ topic, note }) => {
      return wrapped(`  ${topic.padEnd(width)}  ${note}`, columns, width + 4)
    }),
    '',
  ])
  return [
    ...sections,
    'Print a page:       svtrain-emulator docs <topic>',
    'Search all pages:   svtrain-emulator docs --search <words>',
  ].join('\n')
}

const MOST_MATCHES = 20
const LONGEST_LINE = 90
const EXCERPT_INDENT = '    '

/** Prints the sections that have most of the words, the best first. */
function printMatches(
  search: string,
  { topic, topics }: { topic: string | undefined; topics: readonly string[] },
  terminal: Terminal,
): number {
  const words = wordsOf(search)
  const searched = topic === undefined ? topics : [named(topic, topics)]
  const found = sectionsWith(words, searched)
  if (found.length === 0) {
    const where = topic === undefined ? 'No page' : `The page "${topic}"`
    const has = topic === undefined ? 'has a section with' : 'has no section with'
    terminal.writeError(`${where} ${has} all of these words: ${words.join(', ')}. Try fewer words.`)
    return 1
  }
  printSections(found, words, terminal)
  return 0
}

function printSections(
  found: readonly FoundSection[],
  words: readonly string[],
  { write, writeError, paint, columns }: Terminal,
): void {
  const longest = Math.min(LONGEST_LINE, (columns?.() ?? Infinity) - EXCERPT_INDENT.length)
  if (!found.some((section) => hasAll(section, words))) {
    writeError(`No section has all of these words: ${words.join(', ')}. These have most of them:`)
  }
  const lines = found
    .slice(0, MOST_MATCHES)
    .flatMap((section) => [
      ...wrapped(`${paint('bold', section.topic)}  ${section.heading}`, columns?.(), 4),
      EXCERPT_INDENT + shortenedAtSpace(excerptOf(section, words), longest),
    ])
  const left = found.length - MOST_MATCHES
  if (left > 0) lines.push(`… and ${counted(left, 'more section')}. Add a word.`)
  write(lines.join('\n'))
}
