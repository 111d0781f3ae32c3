import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }

export const root = join(import.meta.dirname, '..', '..')

/** A page of the documentation. */
export interface Page {
  /** The path inside the repository, such as `docs/how-to/testing.md`. */
  file: string
  text: string
  /** Whether `npm run generate` writes it. */
  isGenerated: boolean
}

/** Returns the README, the pages for coding assistants, and all pages of docs/ and skills/. */
export function pages(): Page[] {
  const files = ['docs', 'skills'].flatMap((folder) => {
    const found = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    return found.filter((file) => file.endsWith('.md')).map((file) => join(folder, file))
  })
  return ['README.md', 'AGENTS.md', 'llms.txt', ...files.sort()].map(pageOf)
}

/** Whether the npm package has a file. npm adds the README and the license to the list. Images are on the web. */
export function isShipped(path: string): boolean {
  const has = (each: string): boolean => path === each || path.startsWith(`${each}/`)
  const listed = [...manifest.files, 'README.md', 'LICENSE', 'package.json']
  return listed.some(has) && (path.startsWith('docs/images/') || !listed.includes(`!${path}`))
}

/** Reads one page. */
export function pageOf(file: string): Page {
  const text = readFileSync(join(root, file), 'utf8')
  return { file, text, isGenerated: text.startsWith('<!-- Generated') }
}

/** A block of code of a page. */
export interface Block {
  /** The path of the page. */
  file: string
  /** `docs/how-to/testing.md:12`. */
  place: string
  language: string
  code: string
  /** The name that the line above gives it, as in "Save this as `first.mjs`:". */
  name: string | undefined
  /** The output that the page shows directly below. */
  shown: string | undefined
  /** Whether it is the output of the block directly above. */
  isShown: boolean
}

const FENCE = /^( *)```(\w*)[^\n]*\n([^]*?)^ *```$/gm

/** Returns the blocks of code of a page, in order. */
export function blocksOf({ file, text }: Page): Block[] {
  const found = [...text.matchAll(FENCE)]
  const blocks: Block[] = []
  for (const [number, each] of found.entries()) {
    const [whole, indent = '', language = '', code = ''] = each
    const before = text.slice(0, each.index)
    const next = found[number + 1]
    const between = text.slice(each.index + whole.length, next?.index)
    const isBelow = next?.[2] === 'text' && between.trim() === '' && language !== 'text'
    blocks.push({
      file,
      place: `${file}:${before.split('\n').length}`,
      language,
      code: withoutIndent(code, indent),
      name: nameIn(before.trimEnd().split('\n').at(-1)!),
      shown: isBelow ? withoutIndent(next[3]!, next[1]!) : undefined,
      isShown: blocks.at(-1)?.shown !== undefined,
    })
  }
  return blocks
}

function withoutIndent(code: string, indent: string): string {
  return code.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
}

function nameIn(line: string): string | undefined {
  if (!line.endsWith(':')) return undefined
  const named = line.matchAll(/`([\w./-]+\.(?:[cm]?[jt]s|py|ya?ml|json|toml|ini))`/g)
  return [...named].at(-1)?.[1]
}

/** Returns all blocks of code of the documentation. */
export function allBlocks(): Block[] {
  return pages().flatMap(blocksOf)
}

const FRONTMATTER = /^---\n[^]*?\n---\n/

/** Returns the text of a page without its blocks of code and its frontmatter. Lines keep their numbers. */
export function proseOf({ text }: Page): string {
  const withoutText = (block: string): string => block.replaceAll(/[^\n]+/g, '')
  return text.replace(FRONTMATTER, withoutText).replaceAll(FENCE, withoutText)
}

/** Whether a block of YAML is a workflow of a CI system. Other YAML is a scenario. */
export function isWorkflow({ language, code }: Block): boolean {
  return (
    language === 'yaml' &&
    /^ *(?:(?:runs-on|script|image|services):|steps:$|- (?:run|uses):)/m.test(code)
  )
}

/**
 * Returns a pattern for output as a page shows it: `…` stands for any text of a line. Any
 * number of milliseconds, any time of day and any id are accepted.
 */
export function patternOf(shown: string): RegExp {
  const escaped = shown.trimEnd().replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  const anyTime = escaped.replaceAll(/\b[\d.\\]+ ms\b/g, String.raw`[\d.,]+ ms`)
  const anyClock = anyTime.replaceAll(/\b\d\d:\d\d:\d\d\b/g, String.raw`\d\d:\d\d:\d\d`)
  const anyId = anyClock.replaceAll(/\b[\da-f]{8}(?=-)/g, String.raw`[\da-f]{8}`)
  return new RegExp(`^${anyId.replaceAll('…', '.*')}$`, 'm')
}
