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
 * What a scenario may say. The TypeScript types (../scenario.ts), the error messages and the JSON Schema
 * for editors all come from here. Loading it takes as long as the rest of the start, so only code that
 * reads a user's scenario imports it. The build checks the built-in scenarios. A parsed scenario is a
 * valid scenario again: parsing only fills in defaults.
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
      reward: z.string().min(1).describe('1 if the answer contains this text, else 0'),
    })
    .optional()
    .describe('Makes trajectories with answers of the newest checkpoint'),
  repeat: z.int().positive().max(1000).default(1).describe('How many times, one after the other'),
})

/** Each name is compared with all others. */
const MOST_NAMED = 1000
const TOO_MANY = { error: `expected at most ${MOST_NAMED} of them` }

/** These are checked, or created, one after the other. */
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
      .describe('A built-in scenario or a file. Fields that are missing here come from it'),
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
          .describe('The only accepted keys. Default: any key'),
        missingStatus: z.union([z.literal(401), z.literal(403)]).default(401),
        open: z.array(z.enum(['health', 'system-check'])).default([]),
      })
      .prefault({}),
    artifactScheme: z
      .string()
      .regex(/^[a-z][a-z0-9+.-]*$/, 'expected a URL scheme such as artifact')
      .default('artifact')
      .describe('The URL scheme of artifact names in responses'),
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
      .describe('The first rule that matches a job decides what it does'),
    chat: chat.describe('What chats answer, and how fast'),
    faults: z.array(fault).max(MOST_NAMED, TOO_MANY).default([]),
    secrets: secrets.default({}),
    webhooks: z
      .array(webhook)
      .max(MOST_NAMED, TOO_MANY)
      .default([])
      .describe('Where deliveries are sent'),
    automations: z
      .array(automation)
      .max(MOST_NAMED, TOO_MANY)
      .default([])
      .describe('Which events call which webhook, and with what payload'),
    timeline: z
      .array(happening)
      .max(MOST_LISTED_ONCE, TOO_LONG)
      .default([])
      .describe('What happens besides jobs'),
    system_check: z
      .strictObject({ database: z.boolean().default(true), cpu_queue: queue, gpu_queue: queue })
      .prefault({})
      .describe('The result of the system check. It answers 503 if any part is bad'),
    play: z
      .strictObject({ jobs: z.array(played).min(1).prefault([{}]) })
      .prefault({})
      .describe('The jobs that `svtrain-emulator play` submits'),
  })
  .superRefine((scenario, context) => {
    // The parent may define the missing names. The merged scenario is checked again.
    if (scenario.extends !== undefined) return
    for (const problem of [...webhookProblems(scenario), ...timelineProblems(scenario)]) {
      context.addIssue({ code: 'custom', ...problem })
    }
  })

/** Reports faults that the timeline names but the scenario does not define. */
function timelineProblems({ faults, timeline }: Named): PartProblem[] {
  const names = faults.flatMap(({ name }) => name ?? [])
  const known =
    names.length > 0
      ? ` Named faults: ${names.slice(0, MOST_LISTED).join(', ')}.`
      : ' No fault has a name.'
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
 * A scenario as snapshots and data folders save it: it is already merged with what it extends, and the
 * values of its secrets may be missing.
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
 * A saved scenario that had functions, which cannot be saved. Only the parts without functions are read,
 * because the user passes the scenario again.
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
