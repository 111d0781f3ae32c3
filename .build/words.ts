/** `npm run words`: how many words the pages of each folder have, without code. It only reports. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { GENERATED } from './reference/markdown.js'

const root = join(import.meta.dirname, '..')

interface Count {
  byHand: number
  generated: number
}

/** What a command writes into a page of ours: a table between two comments. */
const GENERATED_PART = /^<!-- (.+) -->$[^]*?^<!-- end of \1 -->$/gm

function partsOf(text: string): Count {
  if (text.startsWith(GENERATED)) return { byHand: 0, generated: wordsIn(text) }
  const byHand = wordsIn(text.replaceAll(GENERATED_PART, ''))
  return { byHand, generated: wordsIn(text) - byHand }
}

/** Blocks of code have no words. Code in a line and the address of a link are one word. */
function wordsIn(page: string): number {
  const prose = page
    .replace(/^---\n[^]*?\n---\n/, '')
    .replaceAll(/^ *```[^]*?^ *```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, 'code')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll('|', ' ')
  return prose.split(/\s+/).filter((word) => /\w/.test(word)).length
}

function pages(): string[] {
  const inFolders = ['docs', 'skills'].flatMap((folder) => {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    return files.filter((file) => file.endsWith('.md')).map((file) => join(folder, file))
  })
  return ['README.md', 'AGENTS.md', ...inFolders.sort()]
}

const counts = new Map<string, Count>()
for (const file of pages()) {
  const text = readFileSync(join(root, file), 'utf8')
  const count = counts.get(dirname(file)) ?? { byHand: 0, generated: 0 }
  const { byHand, generated } = partsOf(text)
  count.byHand += byHand
  count.generated += generated
  counts.set(dirname(file), count)
}

const all = [...counts.values()]
const sum = (kind: keyof Count): number => all.reduce((words, count) => words + count[kind], 0)
const rows: [string, Count][] = [
  ...counts,
  ['in all', { byHand: sum('byHand'), generated: sum('generated') }],
]
process.stdout.write('by hand  generated\n')
for (const [folder, { byHand, generated }] of rows) {
  process.stdout.write(
    `${String(byHand).padStart(7)}  ${String(generated).padStart(9)}  ${folder}\n`,
  )
}
