import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The first commands of the README that serve the emulator, unchanged. */
export async function readmeCommands(folder: string): Promise<string> {
  const readme = await readFile(join(folder, 'README.md'), 'utf8')
  const [, commands] = /^```(?:sh|bash)\n(npx svtrain-emulator --[^]*?)^```$/m.exec(readme) ?? []
  if (commands === undefined) throw new Error('No block of the README serves the emulator.')
  return commands
}
