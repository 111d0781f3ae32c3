/** Builds `dist/` of a copy. The types stay as they are: sources that hold mutants do not compile. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from '../../.build/bundle.js'
import { generate } from '../../.build/generate.js'
import { publish } from '../../.build/publish.js'
import { dist, hashOfSources, isFresh, readStamp, root } from '../../.build/stamp.js'

const sources = hashOfSources()
if (!isFresh(readStamp(), sources)) {
  const folder = mkdtempSync(join(root, `dist.building-${process.pid}-`))
  await generate()
  await bundle(folder)
  cpSync(join(dist, 'types'), join(folder, 'types'), { recursive: true })
  publish(folder, { sources, release: false })
  rmSync(folder, { recursive: true, force: true })
}
