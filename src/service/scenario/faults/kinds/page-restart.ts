import { definePageFault } from '../definition.js'

export const pageRestart = definePageFault({
  schema: ({ faultSchema }) =>
    faultSchema('page_restart', 'A page ignores the cursor and begins with the first item.', {}),
  words: () => ['page-restart', 'a page that begins with the first item'],
  survivable: false,
  page: {
    cursor: true,
    change: () => ({ range: (_place, limit) => ({ start: 0, end: limit }) }),
  },
})
