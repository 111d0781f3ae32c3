import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatted } from '../format.js'
import { filesIn, root } from '../stamp.js'
import { withContractChanges } from './contract-changes.js'
import { referencePages } from './pages.js'

/** A file that `npm run generate` changes. A text is undefined if there is no such file. */
export interface Outdated {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Returns the files of docs/reference/, and docs/explain/contract.md, that are not what the sources say. */
export async function outdatedPages(): Promise<Outdated[]> {
  const folder = join(root, 'docs', 'reference')
  const after = new Map<string, string | undefined>(
    filesIn(folder).map((path) => [path, undefined]),
  )
  for (const [file, text] of Object.entries(await referencePages())) {
    after.set(join(folder, file), text)
  }
  const contract = join(root, 'docs', 'explain', 'contract.md')
  const filled = withContractChanges(readFileSync(contract, 'utf8'))
  after.set(contract, await formatted(contract, filled))
  return [...after]
    .map(([path, text]) => {
      const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined
      return { path, before, after: text }
    })
    .filter((page) => page.before !== page.after)
}
