import { optional, required } from './validation/fields.js'
import { integer } from './validation/integer.js'
import { list } from './validation/list.js'
import { model } from './validation/model.js'
import { string } from './validation/string.js'
import { union } from './validation/union.js'

// Only these three fields are documented. What is sent also has `input` and, at times, `ctx`, which
// the framework added later to what it documents.
const validationError = model('ValidationError', {
  loc: required(list(union([string, integer])), { title: 'Location' }),
  msg: required(string, { title: 'Message' }),
  type: required(string, { title: 'Error Type' }),
})

export const httpValidationError = model('HTTPValidationError', {
  detail: optional(list(validationError)),
})
