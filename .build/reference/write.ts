/** Writes docs/reference/, and the generated part of docs/explain/contract.md. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { stdout } from 'node:process'
import { root } from '../stamp.js'
import { outdatedPages } from './outdated.js'

const outdated = await outdatedPages()
for (const { path, after } of outdated) {
  if (after === undefined) rmSync(path)
  else {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, after)
  }
}
const names = outdated.map(({ path }) => relative(root, path)).join(', ')
stdout.write(names === '' ? 'All pages are up to date.\n' : `Wrote or removed: ${names}\n`)
