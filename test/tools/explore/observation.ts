import type { Observation } from '../../../src/tools/explore/exploration.js'

/** What was seen of code that trained one model with one job, but for some of it. */
export function observation(other: Partial<Observation> = {}): Observation {
  return {
    calls: { createModel: 1, createChatCompletion: 4, createRlTrainingJob: 1, getTrainingJob: 5 },
    findings: [],
    problem: undefined,
    pending: [],
    deliveries: 0,
    created: { jobs: 1, models: 1 },
    succeeded: 1,
    uses: [],
    ...other,
  }
}
