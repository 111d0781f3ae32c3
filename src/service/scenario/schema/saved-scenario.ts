import * as z from 'zod'
import { compareSavedParts } from './compared-parts.js'
import { scenarioSchema } from './scenario.js'

const { extends: _none, ...ownShape } = scenarioSchema.shape

/**
 * A scenario as snapshots and data folders save it: it is already merged with what it extends, and the
 * values of its secrets may be missing.
 */
export const savedScenario = z.strictObject(ownShape).superRefine(compareSavedParts)

const { name, description, auth, secrets, webhooks, automations } = ownShape
const unchecked = Object.keys(ownShape).map((key) => [key, z.unknown().optional()])

/**
 * A saved scenario that had functions, which cannot be saved. Only the parts that never have functions are
 * checked, because the user passes the whole scenario again.
 */
export const savedWithoutFunctions = z.strictObject({
  ...(Object.fromEntries(unchecked) as Record<keyof typeof ownShape, z.ZodOptional<z.ZodUnknown>>),
  name,
  description,
  auth,
  secrets,
  webhooks,
  automations,
})
