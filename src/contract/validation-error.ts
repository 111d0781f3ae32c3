import { optional, required } from './pydantic/fields.js'
import { integer } from './pydantic/integer.js'
import { list } from './pydantic/list.js'
import { model } from './pydantic/model.js'
import { string } from './pydantic/string.js'
import { union } from './pydantic/union.js'

// Only these three fields are documented. Responses also have `input` and sometimes `ctx`, which the
// framework added to its documentation later.
const validationError = model('ValidationError', {
  loc: required(list(union([string, integer])), { title: 'Location' }),
  msg: required(string, { title: 'Message' }),
  type: required(string, { title: 'Error Type' }),
})

export const httpValidationError = model('HTTPValidationError', {
  detail: optional(list(validationError)),
})
