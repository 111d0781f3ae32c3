import { printableLines } from '../printable.js'
import { snapshotJson } from '../report/snapshot-json.js'
import { snapshotLines } from '../report/snapshot-lines.js'
import { readArguments } from './arguments.js'
import type { Run } from './command.js'
import { json } from './json-flag.js'
import { snapshotFrom } from './snapshot-source.js'

export const snapshotShow: Run = async (called, { write }) => {
  const read = await readArguments(called, { flags: { json }, takes: 'a file, or - for stdin' })
  if (read.kind === 'text') {
    write(read.text)
    return 0
  }
  const shown = snapshotJson(await snapshotFrom(read.positionals[0]!))
  write(
    read.flags.json
      ? printableLines(JSON.stringify(shown, null, 2))
      : snapshotLines(shown).join('\n'),
  )
  return 0
}
