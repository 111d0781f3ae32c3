import * as z from 'zod'
import { calls } from './fault-fields.js'
import { duration } from './text.js'

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

/** What a network, a rotated secret or an attacker can do to deliveries. */
export const adversary = z.discriminatedUnion('do', [
  z
    .strictObject({
      do: z.literal('duplicate'),
      ...rule,
      times: z
        .int()
        .min(2)
        .max(1000)
        .default(2)
        .meta({ description: 'How many times the delivery is sent in total.', examples: [3] }),
    })
    .describe('Sends the same delivery several times: the same id and the same bytes.'),
  z
    .strictObject({ do: z.literal('reordered'), ...rule, within: longestWait('the next one') })
    .describe('Sends the delivery after the one that follows it.'),
  z
    .strictObject({
      do: z.literal('delayed'),
      ...rule,
      by: duration
        .prefault('5s')
        .meta({ description: 'The delay, such as 5s.', examples: ['30s'] }),
    })
    .describe('Sends the delivery later. The deliveries after it do not wait for it.'),
  z
    .strictObject({ do: z.literal('late'), ...rule, within: longestWait('a newer state') })
    .describe('Sends the delivery after one with a newer state of the same run or artifact.'),
  z
    .strictObject({ do: z.literal('wrong_secret'), ...rule })
    .describe('Signs the delivery with a secret that no receiver has.'),
  z
    .strictObject({
      do: z.literal('old_secret'),
      ...rule,
      secret: z
        .string()
        .min(1)
        .meta({ description: 'The name of the secret in `secrets`.', examples: ['OLD_SECRET'] }),
    })
    .describe('Signs the delivery with another secret, such as the one before a rotation.'),
  z
    .strictObject({ do: z.literal('altered_body'), ...rule })
    .describe('Changes the body after signing it. It is still valid JSON.'),
  z
    .strictObject({ do: z.literal('truncated_body'), ...rule })
    .describe('Sends only the first half of the signed body.'),
  z
    .strictObject({ do: z.literal('respelled_body'), ...rule })
    .describe(
      'Writes the body in another way before signing it: indented, with escapes, and with a line end. The signature is valid for these bytes.',
    ),
  z
    .strictObject({ do: z.literal('missing_signature'), ...rule })
    .describe('Sends the delivery without a signature.'),
  z
    .strictObject({
      do: z.literal('storm'),
      ...rule,
      times: z
        .int()
        .min(2)
        .max(10_000)
        .default(100)
        .meta({ description: 'The number of deliveries for each event.', examples: [20] }),
    })
    .describe('Sends many deliveries for one event, each with its own id.'),
  z
    .strictObject({
      do: z.literal('down'),
      ...rule,
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
      status: z
        .int()
        .min(400)
        .max(599)
        .optional()
        .meta({
          description: 'The HTTP status that deliveries get. Default: the connection is refused.',
          examples: [503],
        }),
    })
    .describe('Treats the receiver as unreachable. Nothing is sent to it.'),
])
