import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The first commands of the README: its first shell block, unchanged. */
export async function readmeCommands(folder: string): Promise<string> {
  const readme = await readFile(join(folder, 'README.md'), 'utf8')
  const [, commands] = /^```(?:sh|bash)\n([^]*?)^```$/m.exec(readme) ?? []
  if (commands === undefined) throw new Error('The README has no block marked sh or bash.')
  return commands
}
