import type { ScenarioInput } from '../../src/index.js'

type Jobs = NonNullable<ScenarioInput['jobs']>
type Event = Exclude<Jobs[number]['timeline'], undefined>[number]
type Steps = Omit<Extract<Event, { event: 'gradient_step' }>, 'event'>

const ENDED: Event = { event: 'training_ended', after: '1s' }

/** A job starts after a second, takes these steps, one each second by default, and ends a second later. */
export function timelineWith(steps: Steps, end = ENDED): Event[] {
  const start = { event: 'training_started', after: '1s' } as const
  return [start, { event: 'gradient_step', every: '1s', ...steps }, end]
}

/** Jobs with that timeline. */
export function jobsWith(steps: Steps, end = ENDED): Jobs {
  return [{ timeline: timelineWith(steps, end) }]
}

/** A scenario whose jobs take 100,000 steps and never end. */
export const long: ScenarioInput = {
  name: 'long',
  jobs: jobsWith({ every: '1ms', count: 100_000, metrics: { loss: 1 } }, { event: 'never' }),
}
