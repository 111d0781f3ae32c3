import { useEffect, useRef } from 'preact/hooks'
import type { Entry } from './control-shapes.js'
import { useLive } from './use-live.js'

/** Milliseconds from one reading to the next, at least. */
const PACE = 500

/** Calls `reload` when the stream has told of another entry of these kinds, twice a second at most. */
export function useReloadOn(kinds: readonly Entry['kind'][], reload: () => void): void {
  const latest = useLive(({ entries }) => entries.findLast(({ kind }) => kinds.includes(kind))?.id)
  const seen = useRef(latest)
  const at = useRef(-Infinity)
  useEffect(() => {
    if (latest === undefined || latest === seen.current) return
    const wait = Math.max(0, at.current + PACE - performance.now())
    const timer = setTimeout(() => {
      seen.current = latest
      at.current = performance.now()
      reload()
    }, wait)
    return () => clearTimeout(timer)
  }, [latest, reload])
}
