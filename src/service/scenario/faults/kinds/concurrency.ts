import { fillFaultMessage } from '../../fault-message.js'
import { defineFault } from '../definition.js'
import { tooMany } from '../too-many.js'

export const concurrency = defineFault({
  schema: ({ faultSchema, int, message }) =>
    faultSchema('concurrency', 'Answers 429 if too many requests are in progress.', {
      most: int()
        .positive()
        .meta({
          description: 'The most requests that may be in progress at the same time.',
          examples: [2],
        }),
      message,
    }),
  words: () => ['at-once', 'status 429 if too many are in progress'],
  survivable: true,
  damage: 'lost',
  apply({ most, message }, { plan, request, enter }) {
    const leave = enter(most)
    if (!leave) {
      plan.ending = tooMany(fillFaultMessage(message, request))
      return 'too many requests at once'
    }
    const { finish } = plan
    plan.finish = () => {
      finish()
      leave()
    }
    return undefined
  },
})
