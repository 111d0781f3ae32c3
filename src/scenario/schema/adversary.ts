import * as z from 'zod'
import { calls } from './faults.js'
import { duration } from './text.js'

const rule = {
  deliveries: calls
    .optional()
    .describe("Which of the webhook's deliveries, counted from 1; default: all"),
}

const fallback = (of: string) =>
  duration.prefault('10s').describe(`It goes anyway after so long ${of}`)

/** What a network, a rotation or a stranger does to deliveries, each by name. */
export const adversary = z.discriminatedUnion('do', [
  z
    .strictObject({
      do: z.literal('duplicate'),
      ...rule,
      times: z.int().min(2).max(1000).default(2),
    })
    .describe('The same delivery comes again: same id, same bytes'),
  z
    .strictObject({ do: z.literal('reordered'), ...rule, within: fallback('without another') })
    .describe('It comes after the one that follows it'),
  z
    .strictObject({ do: z.literal('delayed'), ...rule, by: duration.prefault('5s') })
    .describe('It leaves later; those after it do not wait'),
  z
    .strictObject({ do: z.literal('late'), ...rule, within: fallback('without a newer state') })
    .describe('It comes after a newer state of the same run or artifact'),
  z
    .strictObject({ do: z.literal('wrong_secret'), ...rule })
    .describe('Signed with a secret that nobody has'),
  z
    .strictObject({ do: z.literal('old_secret'), ...rule, secret: z.string().min(1) })
    .describe('Signed with the secret of that name, as before a rotation'),
  z
    .strictObject({ do: z.literal('altered_body'), ...rule })
    .describe('Changed after it was signed; it is still JSON'),
  z
    .strictObject({ do: z.literal('truncated_body'), ...rule })
    .describe('Only the first half of what was signed'),
  z.strictObject({ do: z.literal('missing_signature'), ...rule }),
  z
    .strictObject({
      do: z.literal('storm'),
      ...rule,
      times: z.int().min(2).max(10_000).default(100),
    })
    .describe('So many deliveries of the event, each with an id of its own'),
  z
    .strictObject({
      do: z.literal('down'),
      ...rule,
      from: duration.prefault('0').describe('Since the world began'),
      to: duration.optional(),
      status: z.int().min(400).max(599).optional().describe('Default: the connection is refused'),
    })
    .describe('The receiver cannot be reached, as far as the emulator is concerned'),
])
