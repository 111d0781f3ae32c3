import { contractChanges } from '../../src/service/contract/changes.js'
import { contractVersions } from '../../src/service/contract/versions.js'
import { code, table } from './markdown.js'

/** What the table of docs/explain/contract.md stands between. */
const MARKED = /(?<=<!-- contract changes -->\n).*(?=\n<!-- end of contract changes -->)/s

/** Puts the table of what contracts changed between its markers. */
export function withContractChanges(page: string): string {
  if (!MARKED.test(page))
    throw new Error('docs/explain/contract.md has no markers of the contract changes.')
  return page.replace(MARKED, () => `\n${changesTable()}\n`)
}

/** A row for each field that a contract changed. */
function changesTable(): string {
  const rows = contractChanges.map(({ path, inAnswers, since, before, after, source }) => {
    const older = contractVersions.findLast((version) => version < since)
    const field = inAnswers ? `of an answer: ${code(path)}` : code(path)
    return [field, `${older}: ${before}`, `${since}: ${after}`, source]
  })
  return table(['field of a request', 'before', 'after', 'source'], rows)
}
