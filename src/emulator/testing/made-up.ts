import type { Engine } from '../../service/engine/engine.js'
import type { Unit } from './reach.js'

/** Says that the emulator made up what jobs trained on, if that explains what is odd about it. */
export function madeUpText(engine: Engine, judges: Unit): string {
  return makesUp(engine, judges) ? MADE_UP : ''
}

/** Whether jobs trained on answers that nothing but the emulator chose, and no failed call explains their rewards. */
function makesUp({ scenario: { chat }, lineage }: Engine, judges: Unit): boolean {
  if (chat.rules.length > 0 || chat.cut_off) return false
  // What a judge says decides the rewards of a group.
  if (judges === 'group' && chat.judge) return false
  const all = [...lineage.jobs].flatMap(({ groups }) => groups.flatMap((each) => each.trajectories))
  if (all.some(({ failed }) => failed !== undefined)) return false
  return all.some(({ answers }) => answers.some(({ sample }) => sample !== undefined))
}

const MADE_UP =
  '; if the answers are the reason, the emulator made them up: `chat.rules` of a scenario give them, and learning-policy has some that learn'
