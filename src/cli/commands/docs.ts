import { counted } from '../../text/counted.js'
import { didYouMean } from '../../text/nearest.js'
import { findTopic, listedPages, readTopic, topicNames } from '../docs-pages.js'
import type { Run } from '../context.js'
import type { Terminal } from '../terminal.js'
import { wrapped } from '../text-width.js'
import { UsageError } from '../usage-error.js'

interface Arguments {
  topic: string | undefined
  search: string | undefined
}

/** Prints a page of the documentation as Markdown, the list of pages, or the places of some words. */
export const docs: Run<Arguments> = async ({ topic, search }, { terminal }) => {
  const topics = topicNames()
  if (search !== undefined) return printMatches(search, { topic, topics }, terminal)
  if (topic === undefined) {
    terminal.write(contents(terminal.columns?.()))
    return 0
  }
  const page = readTopic(named(topic, topics))
  const columns = terminal.columns?.()
  if (columns === undefined) terminal.write(page)
  else {
    const { markdownLines } = await import('../report/markdown-lines.js')
    terminal.write(markdownLines(page, { paint: terminal.paint, columns }).join('\n'))
  }
  return 0
}

/** @throws {UsageError} When there is no such page. */
function named(written: string, topics: readonly string[]): string {
  const found = findTopic(written, topics)
  if (found !== undefined) return found
  const short = topics.map((topic) => topic.replace(/^reference\//, ''))
  const hint = didYouMean(written, [...new Set([...short, ...topics])])
  throw new UsageError(
    `Unknown topic "${written}".${hint} Topics: ${topics.join(', ')}. Search with: docs --search "${written}"`,
    'docs',
  )
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

function plainText(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[*`]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, most - 1).replace(/\s+\S*$/, '')} …`
}

interface Section {
  topic: string
  heading: string
  lines: string[]
}

const MOST_MATCHES = 20
const LONGEST_LINE = 90
const EXCERPT_INDENT = '    '

/** Prints the sections that have all the words, those with the words in the heading first. */
function printMatches(
  search: string,
  { topic, topics }: { topic: string | undefined; topics: readonly string[] },
  { write, writeError, paint, columns }: Terminal,
): number {
  const longest = Math.min(LONGEST_LINE, (columns?.() ?? Infinity) - EXCERPT_INDENT.length)
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const searched = topic === undefined ? topics : [named(topic, topics)]
  const found = searched
    .flatMap(sectionsOf)
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
  if (found.length === 0) {
    const where = topic === undefined ? 'No page' : `The page "${topic}"`
    const has = topic === undefined ? 'has a section with' : 'has no section with'
    writeError(`${where} ${has} all of these words: ${words.join(', ')}. Try fewer words.`)
    return 1
  }
  const lines = found
    .slice(0, MOST_MATCHES)
    .flatMap(({ section }) => [
      ...wrapped(`${paint('bold', section.topic)}  ${section.heading}`, columns?.(), 4),
      EXCERPT_INDENT + shortened(excerptOf(section, words), longest),
    ])
  const left = found.length - MOST_MATCHES
  if (left > 0) lines.push(`… and ${counted(left, 'more section')}. Add a word.`)
  write(lines.join('\n'))
  return 0
}

/** Splits a page at its headings. */
function sectionsOf(topic: string): Section[] {
  const sections: Section[] = []
  let isCode = false
  for (const line of readTopic(topic).split('\n')) {
    if (line.startsWith('```')) isCode = !isCode
    const heading = isCode ? undefined : /^#+ (.*)$/.exec(line)?.[1]
    if (heading !== undefined) sections.push({ topic, heading: plainText(heading), lines: [] })
    else sections.at(-1)?.lines.push(line)
  }
  return sections
}

/** The number of times that the words occur; 0 if one of them is missing. A heading counts most. */
function scoreOf({ topic, heading, lines }: Section, words: readonly string[]): number {
  const text = lines.join('\n').toLowerCase()
  const title = `${topic} ${heading}`.toLowerCase()
  const scores = words.map((word) => text.split(word).length - 1 + (title.includes(word) ? 10 : 0))
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0)
}

/** Returns the line with most of the words. */
function excerptOf({ lines }: Section, words: readonly string[]): string {
  const texts = lines.filter((line) => !/^(?:\s*|```.*|\|[ |:-]*)$/.test(line))
  const counts = texts.map((line) => {
    return words.filter((word) => line.toLowerCase().includes(word)).length
  })
  const best = texts[counts.indexOf(Math.max(...counts))] ?? ''
  return plainText(best.replaceAll(/^\| | \|$/g, '').replaceAll(' | ', ' · '))
}
