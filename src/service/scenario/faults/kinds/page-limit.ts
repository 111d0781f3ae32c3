import { definePageFault } from '../definition.js'

export const pageLimit = definePageFault({
  schema: ({ faultSchema, int }) =>
    faultSchema('page_limit', 'Pages have fewer items than the request asks for.', {
      limit: int()
        .positive()
        .meta({ description: 'The most items of a page.', examples: [1] }),
    }),
  words: () => ['page-limit', 'fewer items than requested'],
  survivable: true,
  page: { change: ({ limit }) => ({ most: limit }) },
})
