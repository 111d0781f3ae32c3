import { definePageFault } from '../definition.js'

export const pageEmpty = definePageFault({
  schema: ({ faultSchema }) =>
    faultSchema('page_empty', 'A page has no items, but has_more is true.', {}),
  words: () => ['page-empty', 'an empty page, although more items follow'],
  survivable: false,
  page: { change: () => ({ range: (place) => ({ start: place, end: place, hasMore: true }) }) },
})
