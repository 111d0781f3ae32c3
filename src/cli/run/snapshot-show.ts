import { printableLines } from '../terminal.js'
import { snapshotJson } from '../report/snapshot-json.js'
import { snapshotLines } from '../report/snapshot-lines.js'
import type { Run } from '../context.js'
import { readSnapshot } from './input.js'

interface Arguments {
  file: string
  json: boolean | undefined
}

export const snapshotShow: Run<Arguments> = async ({ file, json }, { terminal }) => {
  const shown = snapshotJson(await readSnapshot(file))
  terminal.write(
    json ? printableLines(JSON.stringify(shown, null, 2)) : snapshotLines(shown).join('\n'),
  )
  return 0
}
