import { anything, number, string } from '../../../service/contract/pydantic/scalars.js'
import { dictionary, list, nullable } from '../../../service/contract/pydantic/containers.js'
import { defaulted, optional, required } from '../../../service/contract/pydantic/fields.js'
import { boundedInteger, integer } from '../../../service/contract/pydantic/integer.js'
import { literal } from '../../../service/contract/pydantic/literal.js'
import { model } from '../../../service/contract/pydantic/model.js'
import { parameters } from '../../../service/contract/pydantic/parameters.js'
import type { Infer } from '../../../service/contract/pydantic/schema.js'
import { RUN_STATES } from '../../../service/scenario/run-states.js'
import { controlQuery } from './body-and-query.js'
import { ofEntity, ofProject, newestOnly, storedContent } from './stored-content.js'

const runFields = {
  path: required(string, { description: 'entity/project/name, as clients name it.' }),
  entity: required(string, { description: 'The entity that owns it.' }),
  project: required(string, { description: 'Its project.' }),
  name: required(string, { description: 'Its name in addresses: clients call it its id.' }),
  display_name: required(string, { description: 'Its name for people.' }),
  user: required(string, { description: 'The user that created it.' }),
  state: required(literal(...RUN_STATES), { description: 'Its state.' }),
  exit_code: required(nullable(integer), {
    description: 'What its program exited with. Null while it runs.',
  }),
  created_at: required(string, { description: 'When it was created.' }),
  updated_at: required(string, { description: 'When its program was last heard.' }),
  group: required(string, { description: 'Its group, or an empty text.' }),
  job_type: required(string, { description: 'The kind of its work, or an empty text.' }),
  tags: required(list(string), { description: 'Its tags.' }),
  rows: required(integer, { description: 'How many rows its history has.' }),
  last_step: required(nullable(integer), { description: 'Its last step. Null without rows.' }),
  metrics: required(dictionary(nullable(number)), {
    description: 'The last value of each metric, by name. Null if it is not finite.',
  }),
}
export const runs = model('Runs', { runs: list(model('ListedRun', runFields)) })
export const runsQuery = controlQuery({
  entity: ofEntity,
  project: ofProject,
  state: optional(literal(...RUN_STATES), { description: 'Returns only runs in this state.' }),
  limit: newestOnly,
})
/** A run of any entity and project has `-` in their places. */
export const runPath = parameters('path', { entity: string, project: string, run: string })
export const run = model('RunDetails', {
  ...runFields,
  notes: required(string, { description: 'Its notes.' }),
  config: required(dictionary(anything), { description: 'The settings of its program.' }),
  summary: required(dictionary(anything), {
    description: 'The last value of everything that it logged, and what its program set.',
  }),
  files: required(list(storedContent), { description: 'Its files.' }),
  logged_artifacts: required(list(string), {
    description: 'The artifacts that it logged, such as team/verse/rows:v0.',
  }),
  used_artifacts: required(list(string), { description: 'The artifacts that it used.' }),
})
export const history = model('RunHistory', {
  rows: required(
    list(
      model('HistoryRow', {
        step: required(integer, { description: 'The step.' }),
        values: required(dictionary(anything), {
          description: 'What was logged, by name. Numbers that are not finite are texts.',
        }),
      }),
    ),
    { description: 'In the order in which the program sent them.' },
  ),
})
export const historyQuery = controlQuery({
  metric: optional(string, { description: 'One metric. Rows without it are left out.' }),
  points: defaulted(boundedInteger({ ge: 2, le: 100_000 }), () => 2000, {
    description: 'The most rows. Others are left out at equal distances.',
  }),
})
/** A run in a list. */
export type ListedRun = Infer<typeof runs>['runs'][number]
/** A run with what it logged. */
export type RunDetails = Infer<typeof run>
/** What a run logged, by its steps. */
export type RunHistory = Infer<typeof history>
