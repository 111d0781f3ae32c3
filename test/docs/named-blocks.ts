import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Block } from '../support/pages.js'

/** Saves the blocks to which a page gives a name. */
export function writeNamed(folder: string, blocks: readonly Block[]): void {
  for (const { name, code } of blocks) {
    if (name === undefined) continue
    const path = join(folder, name)
    if (!path.startsWith(folder)) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, code)
  }
}
