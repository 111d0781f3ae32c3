import { optional, required } from './pydantic/fields.js'
import { integer } from './pydantic/integer.js'
import { list, nullable } from './pydantic/containers.js'
import { model } from './pydantic/model.js'
import { string } from './pydantic/scalars.js'
import { union } from './pydantic/union.js'

/** A refusal of the training host, except for invalid fields. */
export const detailedError = model('DetailedError', { detail: string })

const errorInfo = model('ErrorInfo', {
  message: string,
  type: string,
  param: nullable(string),
  code: union([integer, string]),
})

/** A refusal of the inference host, and of the chat layer on both hosts. */
export const envelopedError = model('EnvelopedError', { error: errorInfo })

/** A refusal with status 400, 401, 403, 404 or 409. */
export const controlProblem = model('ControlProblem', { detail: string })

// Only these three fields are documented. Responses also have `input` and sometimes `ctx`. The framework
// documents these only in later versions.
const validationError = model('ValidationError', {
  loc: required(list(union([string, integer])), { title: 'Location' }),
  msg: required(string, { title: 'Message' }),
  type: required(string, { title: 'Error Type' }),
})

export const httpValidationError = model('HTTPValidationError', {
  detail: optional(list(validationError)),
})
