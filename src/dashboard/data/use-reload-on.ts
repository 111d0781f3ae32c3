import { useEffect, useRef } from 'preact/hooks'
import { atFrame } from './live.js'
import type { Entry } from '../../emulator/control/schemas/journal.js'
import { useLive } from './use-live.js'

/** The minimum time between two reloads, in milliseconds. */
const PACE = 500

/** Calls `reload` after the stream sent an entry of these kinds, at most twice a second. */
export function useReloadOn(kinds: readonly Entry['kind'][], reload: () => void): void {
  const latest = useLive(({ entries }) => entries.findLast(({ kind }) => kinds.includes(kind))?.id)
  useReloadWhenOther(latest, reload)
}

/** Calls `reload` when the journal or the schedule of the clock has changed, at most once per `pace`. */
export function useReloadOnChange(reload: () => void, pace: number): void {
  const state = useLive(({ entries, clock }) => {
    return `${entries.at(-1)?.id} ${clock?.pending} ${clock?.next_at}`
  })
  useReloadWhenOther(state, reload, pace)
}

/** Calls `reload` when the state is another one than at the last load. `pace` is in milliseconds. */
export function useReloadWhenOther(
  state: string | number | undefined,
  reload: () => void,
  pace = PACE,
): void {
  const read = useRef({ state, at: -Infinity })
  useEffect(() => {
    if (state === undefined || state === read.current.state) return
    return atFrame(read.current.at + pace, (at) => {
      read.current = { state, at }
      reload()
    })
  }, [state, reload])
}
