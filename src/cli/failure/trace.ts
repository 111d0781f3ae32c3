import { counted } from '../../base/text/counted.js'
import type { Emulator } from '../../emulator/emulator.js'
import { pendingIn } from '../../emulator/testing/pending.js'
import { problemsOf } from '../../emulator/testing/problems.js'
import { linesOfWorld } from '../../emulator/testing/trace.js'
import { latestWorlds, usedWorlds } from '../../emulator/testing/used-worlds.js'
import { traceLines } from '../report/trace-lines.js'
import type { Output } from '../terminal.js'

/** How many worlds are shown, those with failures first. */
const MOST_WORLDS = 3

/** What happened before, in each world that matters. */
export function failedTraceLines(emulator: Emulator, output: Output): string[] {
  const used = usedWorlds(emulator)
  const failed = used.filter((world) => problemsOf(world).length > 0 || pendingIn(world).length > 0)
  const shown = latestWorlds(failed.length > 0 ? failed : used, MOST_WORLDS)
  const left = used.length - shown.length
  const traces = shown.map((world) => linesOfWorld(world, { named: true, withoutFailures: true }))
  const isCut = traces.flat().some(({ kind }) => kind === 'left_out')
  return [
    ...traces.flatMap((trace, index) => {
      return [...(index === 0 ? [] : ['']), ...traceLines(trace, output)]
    }),
    ...(isCut ? ['', '--trace <file> writes all lines.'] : []),
    ...(left > 0
      ? ['', `… and ${counted(left, 'other world')}. --trace <file> writes all of them.`]
      : []),
  ]
}
