import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from './package-folder.js'

/** The pages of the documentation, which the package contains. */

/** The folder of the pages, from dist/ and from src/emulator/adapters/. */
const FOLDERS = ['../docs/', '../../../docs/']

/** The kinds of pages, a folder each, in the order in which a reader needs them. */
const KINDS = ['start', 'how-to', 'explain', 'reference'] as const

/** The folder of the generated pages. */
const REFERENCE = `${KINDS.at(-1)}/`

/** Names of earlier versions, each with the page that has its text now. Other pages kept their names. */
const RENAMED: Readonly<Record<string, string>> = {
  'getting-started': 'start/server',
  persistence: 'how-to/keep-state',
  recording: 'how-to/record',
  reports: 'how-to/share-a-failure',
}

/**
 * Returns the names of the pages: `how-to/testing`, `reference/cli`. The page that lists the reference is
 * `reference`. The kinds come in their order, and pages about the project before the reference.
 *
 * @throws {Error} When the package has no documentation.
 */
export function topicNames(): string[] {
  const files = readdirSync(docsFolder(), { recursive: true, encoding: 'utf8' })
  const names = files
    .map((file) => file.replaceAll('\\', '/'))
    // The page that lists the others is for those who read files.
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .map((file) => file.replace(/(?:\/README)?\.md$/, ''))
  const rank = (name: string): number => {
    if (`${name}/`.startsWith(REFERENCE)) return KINDS.length
    const kind = KINDS.findIndex((each) => name.startsWith(`${each}/`))
    return kind === -1 ? KINDS.length - 1 : kind
  }
  return names.sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1))
}

/** Returns what a user may write for the topics: their names, also without the folder of the kind. */
export function topicSpellings(topics: readonly string[]): string[] {
  const short = topics.map((topic) => topic.replace(new RegExp(`^(?:${KINDS.join('|')})/`), ''))
  return [...new Set([...short, ...topics])]
}

/**
 * Returns the topic that a user means: a name, also without the folder of its kind, a name of an earlier version,
 * the path of a file, or a link of a page.
 */
export function findTopic(written: string, topics: readonly string[]): string | undefined {
  const name = written
    .toLowerCase()
    .replace(/#.*$/, '')
    .replace(/^(?:\.{0,2}\/)+/, '')
    .replace(/^docs\//, '')
    .replace(/(?:\/readme)?(?:\.md)?$/, '')
  const inKinds = KINDS.map((kind) => `${kind}/${name}`)
  const renamed = Object.hasOwn(RENAMED, name) ? [RENAMED[name]!] : []
  return [name, ...inKinds, ...renamed].find((each) => topics.includes(each))
}

/** A page in the list of pages. */
export interface ListedPage {
  topic: string
  /** What the page is about, in some words. */
  note: string
}

/** Returns the list of pages, with its sections: `llms.txt`, which other programs read as well. */
export function listedPages(): Map<string, ListedPage[]> {
  const text = readFileSync(join(docsFolder(), '..', 'llms.txt'), 'utf8')
  const sections = text.split(/^## /m).slice(1)
  return new Map(
    sections.map((section) => {
      const entries = section.matchAll(/^- \[[^\]]+\]\(docs\/(.+?)(?:\/README)?\.md\): (.+)$/gm)
      const pages = Array.from(entries, ([, topic, note]) => ({ topic: topic!, note: note! }))
      return [section.split('\n')[0]!, pages]
    }),
  )
}

/** Returns a page as Markdown. */
export function readTopic(topic: string): string {
  const folder = docsFolder()
  const file = join(folder, `${topic}.md`)
  const text = readFileSync(existsSync(file) ? file : join(folder, topic, 'README.md'), 'utf8')
  return text.replace(/^<!--.*-->\s*/, '').trimEnd()
}

function docsFolder(): string {
  const found = packageFolder(import.meta.url, FOLDERS, `${REFERENCE}README.md`)
  if (found === undefined) throw new Error('The package has no folder docs/. Install it again.')
  return found
}
