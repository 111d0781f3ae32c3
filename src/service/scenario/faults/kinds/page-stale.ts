import { definePageFault } from '../definition.js'

export const pageStale = definePageFault({
  schema: ({ faultSchema }) =>
    faultSchema('page_stale', 'The cursor is refused with 404, as if it were unknown.', {}),
  words: () => ['stale-cursor', 'status 404 for the cursor'],
  survivable: false,
  page: {
    cursor: true,
    change: () => ({ range: () => undefined }),
  },
})
