import { defineFault } from '../definition.js'

export const contentType = defineFault({
  schema: ({ faultSchema, headerValue }) =>
    faultSchema('content_type', 'Sends another Content-Type header.', {
      content_type: headerValue.meta({
        description: 'The value of the header, such as text/plain.',
        examples: ['text/plain'],
      }),
    }),
  words: ({ content_type: type }) => ['content-type', `the content type ${type}`],
  survivable: true,
  damage: 'relabeled',
  unseen: ['content_type'],
  apply({ fault, content_type: type }, { plan }) {
    plan.shapes.push((answer) => {
      return { ...answer, headers: { ...answer.headers, 'content-type': type } }
    })
    return fault
  },
})
