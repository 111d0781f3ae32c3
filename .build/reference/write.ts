/** Writes docs/reference/, and the generated part of docs/explain/contract.md. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { formatted } from '../format.js'
import { filesIn, root } from '../stamp.js'
import { withContractChanges } from './contract-changes.js'
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

const contract = join(root, 'docs', 'explain', 'contract.md')
const filled = await formatted(contract, withContractChanges(readFileSync(contract, 'utf8')))
if (read(contract) !== filled) writeFileSync(contract, filled)

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
