import { model } from './pydantic/model.js'
import { nullable } from './pydantic/nullable.js'
import { integer } from './pydantic/integer.js'
import { string } from './pydantic/string.js'
import { union } from './pydantic/union.js'

/** How the training host says no, fields that do not fit aside. */
export const detailedError = model('DetailedError', { detail: string })

const errorInfo = model('ErrorInfo', {
  message: string,
  type: string,
  param: nullable(string),
  code: union([integer, string]),
})

/** How the inference host says no, and the chat layer on either host. */
export const envelopedError = model('EnvelopedError', { error: errorInfo })
/** Why a call is refused: 400, 401, 403, 404 or 409. */
export const controlProblem = model('ControlProblem', { detail: string })
