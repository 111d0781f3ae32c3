import { jobCreations, jobReads, pageReads } from '../../../service/contract/operation-names.js'
import type { OwnScenario } from '../exploration.js'
import { listedPart, type AboutScenario } from '../planned-for.js'

/** Refuses some operations for good. Code must notice it, and end. */
function refused(name: string, operation: readonly string[], what: string): OwnScenario {
  return {
    scenario: {
      name,
      description: `All calls that ${what} get 429, and all others work.`,
      faults: [{ fault: 'status', status: 429, match: { operation: [...operation] } }],
    },
    expects: 'any_end',
  }
}

/** Each of them may pass. None comes twice in a row. */
const PASSING = [408, 500, 502, 503, 504, 429]

/** More than any client polls at once, and less than careful code polls until it gives up. */
const IDLE_POLLS = 8

const demands: readonly AboutScenario[] = [
  { about: 'jobs', ...refused('jobs-refused', jobCreations, 'create jobs') },
  {
    about: 'jobs',
    ...refused(
      'polls-refused',
      ['getTrainingJob', 'listTrainingJobEvents'],
      'ask for a job or its events',
    ),
  },
  {
    about: 'any polls',
    scenario: {
      name: 'idle-polls',
      description:
        'The first call of each operation is refused for 2 s, and nothing new happens for eight polls of the first job.',
      faults: [
        {
          fault: 'status',
          status: 429,
          retry_after: '2s',
          match: { operation: [...jobReads, ...jobCreations] },
          calls: 1,
          per: 'operation',
        },
      ],
      jobs: [
        {
          match: { ordinal: 1 },
          timeline: [
            { event: 'training_started' },
            ...Array.from({ length: IDLE_POLLS }, () => {
              return { event: 'stall', until: 'read' } as const
            }),
            { event: 'gradient_step', count: 4 },
            { event: 'training_ended' },
          ],
        },
      ],
    },
  },
  {
    about: 'jobs',
    scenario: {
      name: 'passing-errors',
      description:
        'Every second call that reads is refused, each time with another status that passes.',
      faults: PASSING.map((status, index) => ({
        fault: 'status',
        status,
        match: { operation: [...jobReads] },
        calls: 2 * index + 1,
        per: 'operation',
      })),
    },
  },
  {
    about: 'lists',
    scenario: {
      name: 'short-pages',
      description:
        'Each page of events or checkpoints has one item, and only the last one says so.',
      faults: [
        {
          fault: 'page_limit',
          limit: 1,
          match: { operation: [...pageReads] },
        },
      ],
    },
  },
  {
    about: 'lists',
    scenario: {
      name: 'forgotten-cursors',
      description: 'For a while, the service knows no cursor any more, however often it comes.',
      faults: [
        // Where the clock shows all events at once, only short pages make a client send a cursor.
        { fault: 'page_limit', limit: 3, match: { operation: [...pageReads] } },
        {
          fault: 'page_stale',
          match: { operation: [...pageReads] },
          calls: { from: 2, to: 16 },
        },
      ],
      jobs: [
        {
          timeline: [
            { event: 'training_started', after: '1s' },
            { event: 'gradient_step', every: '1s', count: 8 },
            { event: 'training_ended', after: '1s' },
          ],
        },
      ],
    },
  },
  {
    about: 'events',
    scenario: {
      name: 'infinite-norm',
      description: 'The first gradient step has an infinite norm, which JSON cannot say.',
      jobs: [
        {
          timeline: [
            { event: 'training_started', after: '1s' },
            {
              event: 'gradient_step',
              every: '1s',
              count: 3,
              spoil: [{ at: 1, metric: 'grad_norm', with: 'Infinity' }],
            },
            { event: 'training_ended', after: '1s' },
          ],
        },
      ],
    },
  },
]

/** What `docs/how-to/explore.md` asks of careful code, and no built-in scenario shows. */
export const demandScenarios = listedPart(demands)
