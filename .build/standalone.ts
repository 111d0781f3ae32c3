/**
 * Writes the command line and everything that it needs, except Node, to a folder: `standalone.ts <folder>`.
 * The Python package contains it.
 */
import { cpSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { argv, stderr } from 'node:process'
import manifest from '../package.json' with { type: 'json' }
import { bundle, STANDALONE } from './bundle.js'
import { generate } from './generate.js'
import { root } from './stamp.js'

const named = argv.at(2)
if (named === undefined) throw new Error('Name the folder: tsx .build/standalone.ts <folder>')
const folder = resolve(named)
const building = `${folder}.building`

await generate()
rmSync(building, { recursive: true, force: true })
mkdirSync(dirname(building), { recursive: true })
await bundle(join(building, 'dist'), STANDALONE)
const left = manifest.files.flatMap((path) =>
  path.startsWith('!') ? [join(root, path.slice(1))] : [],
)
for (const path of ['docs', 'skills', 'CHANGELOG.md', 'LICENSE', 'llms.txt']) {
  cpSync(join(root, path), join(building, path), {
    recursive: true,
    filter: (source) => !left.includes(source),
  })
}
rmSync(folder, { recursive: true, force: true })
renameSync(building, folder)
stderr.write(`Wrote the standalone program to ${folder}\n`)
