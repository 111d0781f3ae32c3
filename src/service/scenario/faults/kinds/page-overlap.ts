import { definePageFault } from '../definition.js'

export const pageOverlap = definePageFault({
  schema: ({ faultSchema, int }) =>
    faultSchema('page_overlap', 'A page begins with the last items of the page before.', {
      by: int()
        .positive()
        .default(1)
        .meta({ description: 'The number of items that come again.', examples: [2] }),
    }),
  words: () => ['page-overlap', 'a page that begins too early'],
  survivable: false,
  page: {
    cursor: true,
    change: ({ by }) => ({
      range: (place, limit) => {
        const start = Math.max(0, place - by)
        return { start, end: start + limit }
      },
    }),
  },
})
