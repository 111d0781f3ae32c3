import { definePageFault } from '../definition.js'

export const pageArrivals = definePageFault({
  schema: ({ faultSchema, int }) =>
    faultSchema('page_arrivals', 'New items appear after each page.', {
      items: int()
        .positive()
        .max(1000)
        .default(1)
        .meta({ description: 'The number of new items after each page.', examples: [3] }),
    }),
  words: () => ['page-arrivals', 'new items between two pages'],
  survivable: false,
  page: { change: ({ items }) => ({ arrivals: items }) },
})
