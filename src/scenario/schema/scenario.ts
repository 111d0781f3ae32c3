import * as z from 'zod'
import { clockModes, FASTEST } from '../../clock/clock.js'
import { LOCAL_ACCOUNT } from '../account.js'
import { chat } from './chat.js'
import { fault } from './faults.js'
import { job, stepCount } from './jobs.js'
import { happening } from './timeline.js'
import { MOST_LISTED, webhookProblems, type PartProblem } from './check-webhooks.js'
import { automation, secrets, webhook } from './webhooks.js'

/**
 * The one source of what a scenario may say: of its TypeScript types (../scenario.ts), of its error
 * messages and of the JSON Schema that editors complete from. Loading it costs as much as the rest
 * of the start, so only what reads a user's scenario imports it; the built-in ones are checked when
 * the package is built. What it makes of a scenario is one itself: only defaults are filled in.
 */

const queue = z
  .strictObject({
    success: z.boolean().default(true),
    duration: z.number().nonnegative().default(0.01).describe('Seconds'),
    error: z.string().nullable().default(null),
  })
  .prefault({})

const played = z.strictObject({
  kind: z.enum(['rl', 'sft']).default('rl'),
  model: z.string().default('my-model'),
  trajectories: z.int().nonnegative().max(100_000).default(4),
  rollout: z
    .strictObject({
      ask: z.string().min(1),
      reward: z.string().min(1).describe('1 where the answer holds this text, else 0'),
    })
    .optional()
    .describe('Asks the newest checkpoint for its trajectories'),
  repeat: z.int().positive().max(1000).default(1).describe('So many times, one after the other'),
})

/** Each is compared with all others, by name. */
const MOST_NAMED = 1000
const TOO_MANY = { error: `expected at most ${MOST_NAMED} of them` }

/** Each of these is looked at, or made, one after the other. */
const MOST_LISTED_ONCE = 10_000
const TOO_LONG = { error: `expected at most ${MOST_LISTED_ONCE} of them` }

export const scenarioSchema = z
  .strictObject({
    $schema: z.string().optional(),
    name: z.string().min(1),
    description: z.string().default(''),
    extends: z
      .string()
      .min(1)
      .optional()
      .describe('A built-in scenario, or a file: what is not said here is as it is there'),
    seed: z.int().nonnegative().optional(),
    clock: z
      .strictObject({
        mode: z.enum(clockModes),
        speed: z.number().positive().max(FASTEST).optional(),
      })
      .optional(),
    auth: z
      .strictObject({
        keys: z
          .record(
            z.string().min(1),
            z.strictObject({
              user: z.string().default(LOCAL_ACCOUNT.user),
              entity: z.string().default(LOCAL_ACCOUNT.entity),
            }),
          )
          .optional()
          .describe('The only keys that are accepted; left out: any key'),
        missingStatus: z.union([z.literal(401), z.literal(403)]).default(401),
        open: z.array(z.enum(['health', 'system-check'])).default([]),
      })
      .prefault({}),
    artifactScheme: z
      .string()
      .regex(/^[a-z][a-z0-9+.-]*$/, 'expected a URL scheme such as artifact')
      .default('artifact')
      .describe('The scheme of the artifact names that the emulator prints'),
    base_models: z
      .array(z.string().min(1))
      .min(1)
      .max(MOST_NAMED, TOO_MANY)
      .default(['example/base-8b-instruct', 'example/base-14b-instruct']),
    models: z
      .array(
        z.strictObject({
          entity: z.string().optional(),
          project: z.string(),
          name: z.string(),
          base_model: z.string(),
        }),
      )
      .max(MOST_LISTED_ONCE, TOO_LONG)
      .default([]),
    sft: z
      .strictObject({
        sequences: stepCount.default(8),
        files: z.record(z.string(), z.string()).default({}),
      })
      .prefault({}),
    jobs: z
      .array(job)
      .max(MOST_LISTED_ONCE, TOO_LONG)
      .default([])
      .describe('Each job follows the first rule that matches it'),
    chat: chat.describe('What chats are answered, and how fast'),
    faults: z.array(fault).max(MOST_NAMED, TOO_MANY).default([]),
    secrets: secrets.default({}),
    webhooks: z
      .array(webhook)
      .max(MOST_NAMED, TOO_MANY)
      .default([])
      .describe('Where deliveries go'),
    automations: z
      .array(automation)
      .max(MOST_NAMED, TOO_MANY)
      .default([])
      .describe('Which events call which webhook, with what payload'),
    timeline: z
      .array(happening)
      .max(MOST_LISTED_ONCE, TOO_LONG)
      .default([])
      .describe('What happens besides jobs'),
    system_check: z
      .strictObject({ database: z.boolean().default(true), cpu_queue: queue, gpu_queue: queue })
      .prefault({})
      .describe('What the system check finds; 503 where any of it is bad'),
    play: z
      .strictObject({ jobs: z.array(played).min(1).prefault([{}]) })
      .prefault({})
      .describe('What `svtrain-emulator play` submits'),
  })
  .superRefine((scenario, context) => {
    // The parent may have it; then the two together are checked again.
    if (scenario.extends !== undefined) return
    for (const problem of [...webhookProblems(scenario), ...timelineProblems(scenario)]) {
      context.addIssue({ code: 'custom', ...problem })
    }
  })

/** The faults that a timeline names and that the scenario does not have. */
function timelineProblems({ faults, timeline }: Named): PartProblem[] {
  const names = faults.flatMap(({ name }) => name ?? [])
  const known =
    names.length > 0
      ? ` Named are: ${names.slice(0, MOST_LISTED).join(', ')}.`
      : ' None has a name.'
  return timeline.flatMap((entry, index) => {
    if (!('fault' in entry) || names.includes(entry.fault)) return []
    const message = `there is no fault named "${entry.fault}".${known}`
    return { path: ['timeline', index, 'fault'], message }
  })
}

interface Named {
  faults: readonly z.output<typeof fault>[]
  timeline: readonly z.output<typeof happening>[]
}

const { extends: _none, ...ownShape } = scenarioSchema.shape

/**
 * A scenario as it is kept with a world: what it extended is part of it by now, and the values of its
 * secrets may be left out.
 */
export const savedScenario = z.strictObject(ownShape).superRefine((scenario, context) => {
  const parts = { ...scenario, secrets: undefined }
  for (const problem of [...webhookProblems(parts), ...timelineProblems(scenario)]) {
    context.addIssue({ code: 'custom', ...problem })
  }
})

const { name, description, auth, secrets: itsSecrets, webhooks, automations } = ownShape
const unread = Object.keys(ownShape).map((key) => [key, z.unknown().optional()])

/**
 * A scenario that held functions, which cannot be kept: the parts without any. Of the rest nothing is
 * read, because the world goes on with the scenario that its user names again.
 */
export const savedWithoutFunctions = z.strictObject({
  ...(Object.fromEntries(unread) as Record<keyof typeof ownShape, z.ZodOptional<z.ZodUnknown>>),
  name,
  description,
  auth,
  secrets: itsSecrets,
  webhooks,
  automations,
})
