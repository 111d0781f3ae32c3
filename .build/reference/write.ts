/** Writes docs/reference/, and the generated part of docs/explain/contract.md. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { outdatedPages } from './outdated.js'

for (const { path, after } of await outdatedPages()) {
  if (after === undefined) rmSync(path)
  else {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, after)
  }
}
