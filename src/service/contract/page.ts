import { boolean, string } from './pydantic/scalars.js'
import { defaulted, optional, required } from './pydantic/fields.js'
import { boundedInteger } from './pydantic/integer.js'
import { list } from './pydantic/containers.js'
import { literal } from './pydantic/literal.js'
import { model } from './pydantic/model.js'
import { parameters } from './pydantic/parameters.js'
import type { Schema } from './pydantic/schema.js'

export interface Page<T> {
  object: string
  data: T[]
  first_id: string
  last_id: string
  has_more: boolean
}

/** A page of a list. The name of the item is part of the name of the page. */
export function pageOf<T>(item: Schema<T>): Schema<Page<T>> {
  return model(`PaginatedResponse[${item.label}]`, {
    object: defaulted(string, () => 'list', { description: 'What kind of object this is.' }),
    data: required(list(item), { description: 'The items of this page.' }),
    first_id: defaulted(string, () => '', { description: 'The id of the first item, if any.' }),
    last_id: defaulted(string, () => '', { description: 'The id of the last item, if any.' }),
    has_more: required(boolean, { description: 'Whether items follow this page.' }),
  })
}

const after = optional(string, {
  description: 'The id of the last item of the page before, which the page then starts behind.',
})
/** How many items a page holds if its query does not say it. */
export const DEFAULT_LIMIT = 20

const limit = defaulted(boundedInteger({ ge: 1, le: 100 }), () => DEFAULT_LIMIT, {
  description: 'How many items a page may hold.',
})

export const pageQuery = parameters('query', { after, limit })

export const orderedPageQuery = parameters('query', {
  after,
  limit,
  order: defaulted(literal('asc', 'desc'), () => 'asc' as const, {
    description: 'Whether the oldest or the newest item comes first.',
  }),
})
