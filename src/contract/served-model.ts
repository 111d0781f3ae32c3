import { integer } from './validation/integer.js'
import { list } from './validation/list.js'
import { literal } from './validation/literal.js'
import { model } from './validation/model.js'
import { string } from './validation/string.js'

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
