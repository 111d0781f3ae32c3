import { definePageFault } from '../definition.js'

export const pageRepeat = definePageFault({
  schema: ({ faultSchema }) =>
    faultSchema(
      'page_repeat',
      'The page that ended with the cursor comes again, so its last id is the same.',
      {},
    ),
  words: () => ['page-repeat', 'the page before once more'],
  survivable: false,
  page: {
    cursor: true,
    change: () => ({
      range: (place, limit) => ({ start: Math.max(0, place - limit), end: place, hasMore: true }),
    }),
  },
})
