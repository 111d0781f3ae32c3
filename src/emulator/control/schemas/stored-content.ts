import { anything, string } from '../../../service/contract/pydantic/scalars.js'
import { optional, required } from '../../../service/contract/pydantic/fields.js'
import { boundedInteger, integer } from '../../../service/contract/pydantic/integer.js'
import { model } from '../../../service/contract/pydantic/model.js'
import { controlQuery } from './body-and-query.js'

export const ofEntity = optional(string, {
  description: 'The entity (team or user) that owns them.',
})
export const ofProject = optional(string, { description: 'The name of a project.' })
export const newestOnly = optional(boundedInteger({ ge: 1 }), {
  description: 'Returns only the newest ones.',
})

export const storedContent = model('StoredContent', {
  path: required(string, { description: 'Its path, such as config.yaml.' }),
  size: required(integer, { description: 'Its size in bytes.' }),
  digest: required(string, { description: 'The MD5 of its content, in base64.' }),
})
export const fileQuery = controlQuery({
  path: required(string, { description: 'The path of the file, such as data/train.jsonl.' }),
})
/** The bytes of a file. */
export const fileContent = anything
