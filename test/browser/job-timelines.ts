import type { ScenarioInput } from '../../src/index.js'

type Jobs = NonNullable<ScenarioInput['jobs']>
type Event = Exclude<Jobs[number]['timeline'], undefined>[number]
type Steps = Omit<Extract<Event, { event: 'gradient_step' }>, 'event'>

/** Jobs that start after a second, take these steps, one each second by default, and end a second later. */
export function jobsWith(
  steps: Steps,
  end: Event = { event: 'training_ended', after: '1s' },
): Jobs {
  const start = { event: 'training_started', after: '1s' } as const
  return [{ timeline: [start, { event: 'gradient_step', every: '1s', ...steps }, end] }]
}

/** A scenario whose jobs take 100,000 steps and never end. */
export const long: ScenarioInput = {
  name: 'long',
  jobs: jobsWith({ every: '1ms', count: 100_000, metrics: { loss: 1 } }, { event: 'never' }),
}
