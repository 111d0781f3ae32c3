import * as z from 'zod'
import { calls } from './faults.js'
import { duration } from './text.js'

const rule = {
  deliveries: calls
    .optional()
    .describe('Which deliveries of the webhook, counted from 1. Default: all'),
}

const fallback = (of: string) =>
  duration.prefault('10s').describe(`The longest that it waits ${of}`)

/** What a network, a rotated secret or an attacker can do to deliveries. */
export const adversary = z.discriminatedUnion('do', [
  z
    .strictObject({
      do: z.literal('duplicate'),
      ...rule,
      times: z.int().min(2).max(1000).default(2),
    })
    .describe('Sends the same delivery again: same id, same bytes'),
  z
    .strictObject({ do: z.literal('reordered'), ...rule, within: fallback('for another delivery') })
    .describe('Arrives after the delivery that follows it'),
  z
    .strictObject({ do: z.literal('delayed'), ...rule, by: duration.prefault('5s') })
    .describe('Leaves later. Deliveries after it do not wait for it'),
  z
    .strictObject({ do: z.literal('late'), ...rule, within: fallback('for a newer state') })
    .describe('Arrives after a newer state of the same run or artifact'),
  z
    .strictObject({ do: z.literal('wrong_secret'), ...rule })
    .describe('Signed with a secret that the receiver does not have'),
  z
    .strictObject({ do: z.literal('old_secret'), ...rule, secret: z.string().min(1) })
    .describe('Signed with the secret of this name, as before a rotation'),
  z
    .strictObject({ do: z.literal('altered_body'), ...rule })
    .describe('The body is changed after it was signed. It is still JSON'),
  z
    .strictObject({ do: z.literal('truncated_body'), ...rule })
    .describe('Only the first half of the signed body is sent'),
  z.strictObject({ do: z.literal('missing_signature'), ...rule }),
  z
    .strictObject({
      do: z.literal('storm'),
      ...rule,
      times: z.int().min(2).max(10_000).default(100),
    })
    .describe('Sends this many deliveries of the event, each with its own id'),
  z
    .strictObject({
      do: z.literal('down'),
      ...rule,
      from: duration.prefault('0').describe('Counted from the start of the scenario'),
      to: duration.optional(),
      status: z.int().min(400).max(599).optional().describe('Default: the connection is refused'),
    })
    .describe('The emulator treats the receiver as unreachable'),
])
