/** Writes docs/reference/. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { filesIn, root } from '../stamp.js'
import { referencePages } from './pages.js'

const folder = join(root, 'docs', 'reference')
const pages = await referencePages()
for (const path of filesIn(folder)) {
  const file = relative(folder, path).replaceAll('\\', '/')
  if (!Object.hasOwn(pages, file)) rmSync(path)
}
for (const [file, text] of Object.entries(pages)) {
  const path = join(folder, file)
  mkdirSync(dirname(path), { recursive: true })
  if (read(path) !== text) writeFileSync(path, text)
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
