import * as z from 'zod'
import { calls } from './fault-fields.js'
import { duration } from './text.js'
import { kindsBy } from './kinds-by.js'
import { errorStatus, nonEmptyText } from './values.js'

const rule = {
  deliveries: calls.optional().meta({
    description:
      'Which deliveries of the webhook are affected, counted from 1: a number, a list of numbers, or a range such as { from: 3, every: 2 }. Default: all.',
    examples: [1, { from: 3, every: 2 }],
  }),
}

const longestWait = (forWhat: string) =>
  duration.prefault('10s').meta({
    description: `The longest time that the delivery waits for ${forWhat}. Then it is sent anyway.`,
    examples: ['2s'],
  })

/** The most times that one delivery is sent. */
export const MOST_TIMES = 1000

const mishap = kindsBy('do', rule)

/** What a network, a rotated secret or an attacker can do to deliveries. */
export const adversary = z.discriminatedUnion('do', [
  mishap('duplicate', 'Sends the same delivery several times: the same id and the same bytes.', {
    times: z
      .int()
      .min(2)
      .max(MOST_TIMES)
      .default(2)
      .meta({ description: 'How many times the delivery is sent in total.', examples: [3] }),
  }),
  mishap(
    'reordered',
    'Sends the delivery after the one that follows it, which is not moved itself.',
    { within: longestWait('the next one') },
  ),
  mishap('delayed', 'Sends the delivery later. The deliveries after it do not wait for it.', {
    by: duration.prefault('5s').meta({ description: 'The delay, such as 5s.', examples: ['30s'] }),
  }),
  mishap(
    'late',
    'Sends the delivery after one with a newer state of the same run or artifact, which is not moved itself.',
    { within: longestWait('a newer state') },
  ),
  mishap('wrong_secret', 'Signs the delivery with a secret that no receiver has.', {}),
  mishap(
    'old_secret',
    'Signs the delivery with another secret, such as the one before a rotation.',
    {
      secret: nonEmptyText.meta({
        description: 'The name of the secret in `secrets`.',
        examples: ['OLD_SECRET'],
      }),
    },
  ),
  mishap('altered_body', 'Changes the body after signing it. It is still valid JSON.', {}),
  mishap('truncated_body', 'Sends only the first half of the signed body.', {}),
  mishap(
    'respelled_body',
    'Writes the body in another way before signing it: indented, with escapes, and with a line end. The signature is valid for these bytes.',
    {},
  ),
  mishap('missing_signature', 'Sends the delivery without a signature.', {}),
  mishap('storm', 'Sends many deliveries for one event, each with its own id.', {
    times: z
      .int()
      .min(2)
      .max(10_000)
      .default(100)
      .meta({ description: 'The number of deliveries for each event.', examples: [20] }),
  }),
  mishap(
    'down',
    'Treats the receiver as unreachable. Nothing is sent to it. With `deliveries: 1`, all attempts of the first delivery fail: only `to`, such as `to: 5s`, lets a retry arrive.',
    {
      from: duration.prefault('0').meta({
        description:
          'When the receiver goes down, such as 3s, counted from the start of the scenario.',
        examples: ['3s'],
      }),
      to: duration.optional().meta({
        description:
          'When the receiver is back, such as 9s, counted from the start of the scenario. Default: never.',
        examples: ['9s'],
      }),
      status: errorStatus.optional().meta({
        description: 'The HTTP status that deliveries get. Default: the connection is refused.',
        examples: [503],
      }),
    },
  ),
])
