import { useEffect, useRef } from 'preact/hooks'
import { atFrame } from './live.js'
import type { Entry } from '../../control/schemas.js'
import { useLive } from './use-live.js'

/** The minimum time between two reloads, in milliseconds. */
const PACE = 500

/** Calls `reload` after the stream sent an entry of these kinds, at most twice a second. */
export function useReloadOn(kinds: readonly Entry['kind'][], reload: () => void): void {
  const latest = useLive(({ entries }) => entries.findLast(({ kind }) => kinds.includes(kind))?.id)
  const read = useRef({ latest, at: -Infinity })
  useEffect(() => {
    if (latest === undefined || latest === read.current.latest) return
    return atFrame(read.current.at + PACE, (at) => {
      read.current = { latest, at }
      reload()
    })
  }, [latest, reload])
}
