import { CONTROL_ROOT } from '../../emulator/control/control-path.js'
import { didYouMean } from '../../base/text/nearest.js'
import { anchorOf, excerptOf, findSections, sectionsOf, wordsOf } from '../../base/text/sections.js'
import { shortenedAtSpace } from '../../base/text/shortened.js'
import { defaulted, optional } from '../../service/contract/pydantic/fields.js'
import { boundedInteger } from '../../service/contract/pydantic/integer.js'
import { string } from '../../service/contract/pydantic/scalars.js'
import { union } from '../../service/contract/pydantic/union.js'
import { cut, paged } from './paged.js'
import { READS, tool, ToolError, type DocsReader, type Tool } from './tool.js'

/** The tool that searches and reads the documentation. */
export const docsTool = tool({
  name: 'read_docs',
  description:
    'Searches the documentation, or returns a page or a section of it. Without arguments, lists all pages.',
  input: {
    query: optional(string, {
      description: 'Words, such as: webhook retry. Lists the best sections.',
    }),
    topic: optional(string, {
      description: 'A page, such as testing, faults or reference/scenario.',
    }),
    section: optional(string, { description: 'A heading of the page, or a part of it.' }),
    page: defaulted(union([boundedInteger({ ge: 1 }), string]), () => 1, {
      description: 'A page of the result.',
    }),
  },
  annotations: READS,
  run({ query, page: wanted, ...args }, { docs, tools }) {
    const [name, page] = typeof wanted === 'string' ? [wanted, 1] : [args.topic, wanted]
    const topic = name === undefined ? undefined : topicCalled(name, docs)
    const { section = name?.split('#')[1] } = args
    if (query !== undefined) {
      const topics = topic === undefined ? docs.topicNames() : [topic]
      const none = `No section has most of these words: ${cut(query, 80)}.`
      return paged(foundIn(topics, query, docs), { page, none })
    }
    if (topic === undefined) return paged(contentsOf(docs), { page, none: 'There are no pages.' })
    const whole = docs.readTopic(topic)
    const lines = section === undefined ? whole.split('\n') : sectionLines(topic, section, whole)
    const text = paged(lines, { page, none: 'It is empty.' })
    return [text, ...toolsFor(text, tools)].join('\n')
  },
})

const CALL = /(?:GET|POST|PUT|DELETE) \/_emulator(?:\/[\w/{}<>-]+)/g

/** A line that names the tools which do what calls of the control API do in a text. */
function toolsFor(text: string, tools: readonly Tool[]): string[] {
  const written = new Set(Array.from(text.matchAll(CALL), ([call]) => shapeOf(call)))
  const found = tools.filter(({ calls = [] }) => calls.some((call) => written.has(shapeOf(call))))
  if (found.length === 0) return []
  return [`Tools instead of these calls: ${found.map(({ name }) => name).join(', ')}.`]
}

/** A call without its root, with equal names of parameters. */
function shapeOf(call: string): string {
  return call.replace(CONTROL_ROOT, '').replaceAll(/\{.+?\}|<.+?>/g, '*')
}

/** The sections that have most of the words, with an excerpt of each. */
function foundIn(topics: readonly string[], query: string, docs: DocsReader): string[] {
  const words = wordsOf(query)
  if (words.length === 0) throw new ToolError('query: pass at least one word.')
  const sections = topics.flatMap((topic) => sectionsOf(topic, docs.readTopic(topic)))
  return findSections(sections, words).flatMap((section) => [
    `${section.topic} # ${section.heading}`,
    `    ${shortenedAtSpace(excerptOf(section, words), 120)}`,
  ])
}

function contentsOf(docs: DocsReader): string[] {
  return [...docs.listedPages()].flatMap(([title, pages]) => [
    `${title}:`,
    ...pages.map(({ topic, note }) => `  ${topic}: ${note}`),
  ])
}

/** @throws {ToolError} When there is no such section. */
function sectionLines(topic: string, section: string, text: string): readonly string[] {
  const sections = sectionsOf(topic, text)
  const wanted = section.toLowerCase()
  const found =
    sections.find(({ heading }) => [heading.toLowerCase(), anchorOf(heading)].includes(wanted)) ??
    sections.find(({ heading }) => heading.toLowerCase().includes(wanted))
  if (found) return [`# ${found.heading}`, ...found.lines]
  const headings = sections.map(({ heading }) => heading)
  const hint = didYouMean(section, headings)
  throw new ToolError(
    `section: ${topic} has no section "${cut(section, 80)}".${hint} It has: ${headings.join('; ')}.`,
  )
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
