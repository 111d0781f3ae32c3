import type { Scenario, TimelineEntry } from '../scenario/scenario.js'
import type { ContentFrom, RecordFields } from './saved/record-fields.js'
import { ONLY, type OnlyRecord, type SavedPart } from './saved/saved-part.js'
import type { AllFields } from './saved/complete.js'

/** The saved state of a timeline. An entry is saved as its index in the scenario. */
export type TimelineState = ContentFrom<typeof timelineFields>

function timelineFields({ strictObject, string, array, count, moment, place }: RecordFields) {
  const planned = strictObject({
    entry: place,
    at: moment,
    trail: array(place),
    /** The model and the job of the event that triggered it. */
    happening: strictObject({ model: string(), job: string().optional() }).optional(),
  })
  /** `seen` is how many events each entry with `after` has seen, in the order of the entries. */
  return { planned: array(planned), seen: array(count) }
}

type TimelineRecord = OnlyRecord<'timeline', TimelineState>

export interface TimelineWorld {
  readonly engine: {
    readonly scenario: Scenario
    readonly timeline: {
      stateAmong: (entries: readonly TimelineEntry[]) => AllFields<TimelineState>
      restore: (entries: readonly TimelineEntry[], state: TimelineState, later: number) => void
    }
  }
}

/** What the timeline has scheduled, and what it has seen. */
export const savedTimeline: SavedPart<TimelineRecord, undefined, TimelineWorld> = {
  kind: 'timeline',
  isOne: true,
  fields: timelineFields,
  ofScenario: true,
  all: () => ONLY,
  moved: () => ONLY,
  content: (_thing, _id, { engine: { timeline, scenario } }) => {
    return timeline.stateAmong(scenario.timeline)
  },
  plan([saved = { planned: [], seen: [] }], { engine: { timeline, scenario } }, { later }) {
    timeline.restore(scenario.timeline, saved, later)
  },
}
