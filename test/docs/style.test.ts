import { describe, expect, it } from 'vitest'
import { pages, proseOf, type Page } from '../support/pages.js'

/** A line of a rendered page has about this many characters. */
const LINE = 100
const MOST_LINES = 5
const MOST_WORDS_IN_A_CELL = 20
const MOST_WORDS_ON_AVERAGE = 18
const MOST_LINES_OF_THE_README = 110
const MOST_PAGES_TO_START = 5
/** In all pages of `docs`, without code. More is more than people read. */
const MOST_WORDS = 30_000

const written = pages().filter(({ isGenerated }) => !isGenerated)

/** Returns the paragraphs of a page, each with its first line. Lists, tables and headings are not paragraphs. */
function paragraphsOf(page: Page): { line: number; text: string }[] {
  const found: { line: number; text: string }[] = []
  let current: { line: number; text: string } | undefined
  for (const [index, line] of proseOf(page).split('\n').entries()) {
    if (/^\s*$|^#|^\||^\s*[-*] |^\s*\d+\. |^<|^!/.test(line)) current = undefined
    else if (current) current.text += ` ${line}`
    else found.push((current = { line: index + 1, text: line }))
  }
  return found
}

/** Returns the items of lists, each as one text. */
function itemsOf(page: Page): string[] {
  return Array.from(proseOf(page).matchAll(/^\s*(?:[-*]|\d+\.) (.*)$/gm), ([, text]) => text!)
}

/** Returns the cells of all tables, except their heads and rules. */
function cellsOf(page: Page): string[] {
  const lines = proseOf(page).split('\n')
  const rows = lines.filter(
    (line, index) => line.startsWith('|') && !isRule(line) && !isRule(lines[index + 1] ?? ''),
  )
  return rows.flatMap((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim())).filter(Boolean)
}

function isRule(line: string): boolean {
  return /^\|[\s|:-]+\|$/.test(line)
}

/** Code and the addresses of links count as one word. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .split(/\s+/)
    .filter((word) => /[\w]/.test(word))
}

function sentencesOf(page: Page): string[] {
  const texts = [...paragraphsOf(page).map(({ text }) => text), ...itemsOf(page)]
  return texts
    .map((text) => text.replaceAll(/`[^`]*`/g, 'code'))
    .flatMap((text) => text.split(/(?<=[.!?:])\s+(?=[A-Z`"[*])/))
    .filter((sentence) => wordsOf(sentence).length > 0)
}

describe.each(written)('$file', (page) => {
  it('has no paragraph of more than five lines', () => {
    const long = paragraphsOf(page).filter(({ text }) => text.length > LINE * MOST_LINES)
    expect(long.map(({ line }) => `${page.file}:${line}`)).toEqual([])
  })

  it('has no table cell of more than 20 words', () => {
    expect(cellsOf(page).filter((cell) => wordsOf(cell).length > MOST_WORDS_IN_A_CELL)).toEqual([])
  })

  it('has short sentences', () => {
    const lengths = sentencesOf(page).map((sentence) => wordsOf(sentence).length)
    const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length)
    expect(average).toBeLessThan(MOST_WORDS_ON_AVERAGE)
  })
})

/** Lists of pages, and pages about the project. All others are of a kind. */
const OF_NO_KIND = ['docs/README.md', 'docs/contributing.md', 'docs/releases.md']

it('pages lie in the folder of their kind, and few are to start with', () => {
  const kinds = written
    .map(({ file }) => file.replaceAll('\\', '/'))
    .filter((file) => file.startsWith('docs/') && !OF_NO_KIND.includes(file))
    .map((file) => file.split('/')[1]!)
  const others = kinds.filter((kind) => !['start', 'how-to', 'explain'].includes(kind))
  expect(others, 'Its kind: docs/start, docs/how-to or docs/explain').toEqual([])
  expect(kinds.filter((kind) => kind === 'start').length).toBeLessThanOrEqual(MOST_PAGES_TO_START)
})

it('the README is short', () => {
  const readme = written.find(({ file }) => file === 'README.md')!
  expect(readme.text.split('\n').length).toBeLessThanOrEqual(MOST_LINES_OF_THE_README)
})

it('all pages together are few words: a new one takes the place of others', () => {
  const words = written
    .filter(({ file }) => file.startsWith('docs'))
    .flatMap((page) =>
      wordsOf(
        proseOf(page)
          .replaceAll(/^[|\s:-]+$/gm, '')
          .replaceAll('|', ' '),
      ),
    )
  expect(words.length).toBeLessThanOrEqual(MOST_WORDS)
})
