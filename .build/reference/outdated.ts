import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { formatted } from '../format.js'
import { filesIn, root } from '../stamp.js'
import { withContractChanges } from './contract-changes.js'
import { partsOfReference, type PartOfReference } from './pages.js'

/** A file that `npm run generate` changes. A text is undefined if there is no such file. */
export interface Outdated {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
}

const folder = join(root, 'docs', 'reference')

/** Returns the files of docs/reference/, and docs/explain/contract.md, that are not what the sources say. */
export async function outdatedPages(): Promise<Outdated[]> {
  const found = [await outdatedContract()]
  for (const part of partsOfReference) found.push(await outdatedIn(part))
  return found.flat()
}

/** Returns those of one part of docs/reference/. */
export async function outdatedIn({ files, make }: PartOfReference): Promise<Outdated[]> {
  const existing = filesIn(folder).filter((path) => files.test(relative(folder, path)))
  const after = new Map<string, string | undefined>(existing.map((path) => [path, undefined]))
  for (const [file, text] of Object.entries(await make())) after.set(join(folder, file), text)
  return [...after].flatMap(([path, text]) => outdated(path, text))
}

/** Returns docs/explain/contract.md, if its generated part is not what the sources say. */
export async function outdatedContract(): Promise<Outdated[]> {
  const contract = join(root, 'docs', 'explain', 'contract.md')
  const filled = withContractChanges(readFileSync(contract, 'utf8'))
  return outdated(contract, await formatted(contract, filled))
}

function outdated(path: string, after: string | undefined): Outdated[] {
  const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined
  return before === after ? [] : [{ path, before, after }]
}
