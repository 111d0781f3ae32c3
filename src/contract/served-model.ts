import { integer } from './pydantic/integer.js'
import { list } from './pydantic/list.js'
import { literal } from './pydantic/literal.js'
import { model } from './pydantic/model.js'
import { string } from './pydantic/string.js'

/** A model that the inference host serves. */
const servedModel = model('ServedModel', {
  id: string,
  object: literal('model'),
  created: integer,
  owned_by: string,
  root: string,
})

export const servedModelList = model('ServedModelList', {
  object: literal('list'),
  data: list(servedModel),
})
