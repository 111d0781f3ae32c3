import { defaulted, optional, required } from '../../../service/contract/pydantic/fields.js'
import { literal } from '../../../service/contract/pydantic/literal.js'
import { model } from '../../../service/contract/pydantic/model.js'
import { boolean, string } from '../../../service/contract/pydantic/scalars.js'
import type { HarLog } from '../../har.js'
import { controlQuery, objectOf } from './body-and-query.js'

const reportContents = defaulted(literal('shown', 'redacted'), () => 'shown' as const, {
  description: 'Whether prompts, messages, completions and trajectories are shown.',
})
export const report = string
export const reportQuery = controlQuery({
  title: optional(string, { description: 'The title of the page.' }),
  failure: optional(string, { description: 'Why you share it. The page begins with it.' }),
  ended: optional(boolean, {
    description:
      'Whether the program came to its end. If not, a run that it did not finish is no mistake. Default: true without failure.',
  }),
  reproduce: optional(string, { description: 'The command that runs the same again.' }),
  contents: reportContents,
})
export const har = model('HarFile', {
  log: required(objectOf<HarLog>(), { description: 'The requests, in the format HAR 1.2.' }),
})
export const harQuery = controlQuery({ contents: reportContents })
