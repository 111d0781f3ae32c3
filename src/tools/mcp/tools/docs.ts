import { optional, required } from '../../../service/contract/pydantic/fields.js'
import { string } from '../../../service/contract/pydantic/string.js'
import { didYouMean } from '../../../base/text/nearest.js'
import {
  excerptOf,
  findSections,
  sectionsOf,
  shortened,
  wordsOf,
} from '../../../base/text/sections.js'
import { cut, paged } from '../paged.js'
import { pageField, READS, tool, ToolError, type DocsReader } from '../tool.js'

const searchDocs = tool({
  name: 'search_docs',
  title: 'Search docs',
  description:
    'Finds sections of the documentation that have all the words. read_docs then returns a section.',
  input: {
    query: required(string, { description: 'Words, such as: webhook retry.' }),
    topic: optional(string, { description: 'Searches only this page.' }),
    page: pageField,
  },
  annotations: READS,
  run({ query, topic, page }, { docs }) {
    const words = wordsOf(query)
    if (words.length === 0) throw new ToolError('query: pass at least one word.')
    const topics = topic === undefined ? docs.topicNames() : [topicCalled(topic, docs)]
    const sections = topics.flatMap((each) => sectionsOf(each, docs.readTopic(each)))
    const lines = findSections(sections, words).flatMap((section) => [
      `${section.topic} # ${section.heading}`,
      `    ${shortened(excerptOf(section, words), 120)}`,
    ])
    return paged(lines, { page, none: `No section has all of these words: ${words.join(', ')}.` })
  },
})

const readDocs = tool({
  name: 'read_docs',
  title: 'Read docs',
  description:
    'Returns a page of the documentation, or one section of it. Without a topic, lists all pages.',
  input: {
    topic: optional(string, {
      description: 'A page, such as testing, faults or reference/scenario.',
    }),
    section: optional(string, { description: 'A heading of the page, or a part of it.' }),
    page: pageField,
  },
  annotations: READS,
  run({ topic: written, section, page }, { docs }) {
    if (written === undefined) return paged(contentsOf(docs), { page })
    const topic = topicCalled(written, docs)
    const text = docs.readTopic(topic)
    if (section === undefined) return paged(text.split('\n'), { page })
    const sections = sectionsOf(topic, text)
    const wanted = section.toLowerCase()
    const found =
      sections.find(({ heading }) => heading.toLowerCase() === wanted) ??
      sections.find(({ heading }) => heading.toLowerCase().includes(wanted))
    if (found) return paged(found.lines, { page, head: `# ${found.heading}` })
    const headings = sections.map(({ heading }) => heading)
    const hint = didYouMean(section, headings)
    throw new ToolError(
      cut(
        `section: ${topic} has no section "${section}".${hint} It has: ${headings.join('; ')}.`,
        3000,
      ),
    )
  },
})

function contentsOf(docs: DocsReader): string[] {
  return [...docs.listedPages()].flatMap(([title, pages]) => [
    `${title}:`,
    ...pages.map(({ topic, note }) => `  ${topic}: ${note}`),
  ])
}

/** @throws {ToolError} When there is no such page. */
function topicCalled(written: string, docs: DocsReader): string {
  const topics = docs.topicNames()
  const found = docs.findTopic(written, topics)
  if (found !== undefined) return found
  const hint = didYouMean(written, docs.topicSpellings(topics))
  throw new ToolError(
    `topic: there is no page "${cut(written, 80)}".${hint} read_docs without a topic lists all pages.`,
  )
}

export const docsTools = [searchDocs, readDocs]
