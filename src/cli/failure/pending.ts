import { counted } from '../../base/text/counted.js'
import type { Emulator } from '../../emulator/emulator.js'
import { pendingIn } from '../../emulator/testing/pending.js'
import { latestWorlds, usedWorlds } from '../../emulator/testing/used-worlds.js'
import { shortIds } from '../report/trace-lines.js'
import type { FailurePart, PendingRow } from './failure.js'

/** @param when Completes the heading, if the time is over. */
export function pendingPart(pending: readonly PendingRow[], when?: string): FailurePart {
  const [is, are] = when === undefined ? ['is', 'are'] : ['was', 'were']
  const end = when === undefined ? 'pending' : `pending ${when}`
  if (pending.length === 0) return { heading: `Nothing ${is} ${end}`, form: 'nothing' }
  const heading = `${counted(pending.length, `thing ${is}`, `things ${are}`)} ${end}`
  const rows = pending.map(({ what, which, why }) => {
    return { what, which: shortIds(which), why: shortIds(why) }
  })
  return { heading, form: 'columns', rows }
}

/** What is pending in all worlds. */
export function pendingNow(emulator: Emulator): PendingRow[] {
  return ofEachWorld(emulator, pendingIn)
}

/** The rows of all worlds, in the order of the worlds. Those of an API key begin with its world. */
function ofEachWorld(
  emulator: Emulator,
  rowsOf: (world: Emulator) => readonly PendingRow[],
): PendingRow[] {
  const used = usedWorlds(emulator)
  return latestWorlds(used, used.length).flatMap((world) => {
    const { worldName } = world
    return rowsOf(world).map(({ what, which, why }) => {
      return { what: worldName === null ? what : `${worldName} ${what}`, which, why }
    })
  })
}
