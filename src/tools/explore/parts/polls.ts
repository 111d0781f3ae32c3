import type { ScenarioInput } from '../../../service/scenario/scenario.js'
import { listedPart } from '../planned-for.js'

const steps = { event: 'gradient_step', count: 2 } as const
const untilRead = { event: 'stall', until: 'read' } as const

const severalPolls: ScenarioInput = {
  name: 'several-polls',
  description:
    'The first job of each model goes on when a client has read it, so it takes four polls to see its end.',
  jobs: [
    {
      match: { ordinal: 1 },
      timeline: [
        { event: 'training_started' },
        steps,
        untilRead,
        steps,
        untilRead,
        steps,
        untilRead,
        { event: 'training_ended' },
      ],
    },
  ],
}

/**
 * Makes code poll a job several times, under each clock. Under `instant`, a job is otherwise over at its first poll,
 * and a wrong cursor never shows.
 */
export const polls = listedPart([{ about: 'polls', scenario: severalPolls }])
