import type { z } from 'zod'
import type { scenarioSchema } from './scenario-schema.js'

/**
 * A checked scenario: what the schema makes of a file or an object, defaults filled in and durations
 * in milliseconds. Types only, so the engine does not load the schema library. Names that also stand
 * on the wire keep the wire's spelling (`error_message`).
 */
export type Scenario = z.output<typeof scenarioSchema>

/** What a scenario file, or the object given to `createEmulator`, may say. */
export type ScenarioInput = z.input<typeof scenarioSchema>

export type AuthRules = Scenario['auth']
export type SftRules = Scenario['sft']

/** What happens to the jobs that match. The first rule of a scenario that matches a job is its own. */
export type JobRule = Scenario['jobs'][number]
export type JobKind = NonNullable<JobRule['match']['kind']>
export type TimelineStep = JobRule['timeline'][number]
export type GradientSteps = Extract<TimelineStep, { event: 'gradient_step' }>
/** The course of one metric over the steps of a job. `noise` is a standard deviation. */
export type Curve = GradientSteps['metrics'][string]
