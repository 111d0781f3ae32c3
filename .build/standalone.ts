/**
 * Writes the command line and everything that it needs, except Node, to a folder: `standalone.ts <folder>`.
 * The Python package contains it.
 */
import { cpSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { argv, stderr } from 'node:process'
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
cpSync(join(root, 'docs'), join(building, 'docs'), { recursive: true })
for (const file of ['LICENSE', 'llms.txt']) cpSync(join(root, file), join(building, file))
rmSync(folder, { recursive: true, force: true })
renameSync(building, folder)
stderr.write(`Wrote the standalone program to ${folder}\n`)
