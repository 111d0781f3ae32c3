/** Returns a table in Markdown. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [head, head.map(() => '---'), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Returns the notes below a table, because a cell has only a few words. */
export function notesBelow(notes: readonly string[]): string[] {
  if (notes.length === 0) return []
  return [`Notes:\n\n${notes.map((note, index) => `${index + 1}. ${note}`).join('\n')}`]
}

export function lastLineOf(error: string): string {
  return error.trim().split('\n').at(-1)!.slice(0, 200)
}

/** What the package index said about newer versions. */
export type Index = { newest: string; on: string } | { why: string }

/** Says whether the newest version is in a table. */
export function indexLine(index: Index, versions: readonly string[]): string {
  if ('why' in index)
    return `Newer versions may exist: the package index did not answer (${index.why}).`
  return `On ${index.on}, the newest version on the package index was ${index.newest}. ${
    versions.includes(index.newest) ? 'It is in this table.' : 'It has not been tested.'
  }`
}
