import type { LiveFault } from '../../service/engine/faults/live-fault.js'
import { faultsIn, hitsOf, whichOf, type FaultedWorld } from './unapplied.js'

/** Outages that ended after one call, because the clock skipped what was left of them. */
export function skippedOutagesIn(world: FaultedWorld): { which: string; lasts: string | number }[] {
  const { clock } = world.engine
  if (clock.mode !== 'auto' && clock.mode !== 'instant') return []
  return faultsIn(world).flatMap((all) => {
    const [first] = all as [LiveFault]
    const { during } = first.rule
    const isWaitedFor = first.definition.isWaitedFor?.(first.rule) === true
    const isOver = all.every((fault) => fault.remaining(clock.now()) === 0)
    if (hitsOf(all) !== 1 || !isOver || during?.to === undefined || !isWaitedFor) return []
    return [{ which: whichOf(all), lasts: during.to }]
  })
}
