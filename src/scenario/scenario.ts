import type { z } from 'zod'
import type { condition } from './schema/condition.js'
import type { scenarioSchema } from './schema/scenario.js'

/**
 * A checked scenario: what the schema makes of a file or an object, defaults filled in. Types only,
 * so the engine does not load the schema library. Names that also stand on the wire keep the wire's
 * spelling (`error_message`).
 */
export type Scenario = z.output<typeof scenarioSchema>

/** What a scenario file, or the object given to `createEmulator`, may say. */
export type ScenarioInput = z.input<typeof scenarioSchema>

export type AuthRules = Scenario['auth']
export type SftRules = Scenario['sft']
export type Condition = z.output<typeof condition>

/** What happens to the jobs that match. The first rule of a scenario that matches a job is its own. */
export type JobRule = Scenario['jobs'][number]
export type JobKind = Scenario['play']['jobs'][number]['kind']
export type TimelineStep = JobRule['timeline'][number]
export type GradientSteps = Extract<TimelineStep, { event: 'gradient_step' }>
/** What a checkpoint that a scenario adds may be, beyond being there. */
export type CheckpointOptions = Exclude<
  Extract<TimelineStep, { event: 'training_ended' }>['checkpoint'],
  boolean
>
/** The course of one metric over the steps of a job. `noise` is a standard deviation. */
export type Curve = GradientSteps['metrics'][string]
/** Bad data at some gradient steps. */
export type Spoiled = GradientSteps['spoil'][number]

/** A call that goes wrong, and how. */
export type FaultRule = Scenario['faults'][number]
export type FaultInput = NonNullable<ScenarioInput['faults']>[number]
/** Where deliveries go, and what of. */
export type WebhookRule = Scenario['webhooks'][number]
export type AutomationRule = Scenario['automations'][number]
export type EventType = AutomationRule['event']
export type AdversaryRule = WebhookRule['adversary'][number]
/** What can be added to a scenario while things go on. */
export type WebhookPartsInput = Pick<ScenarioInput, 'secrets' | 'webhooks' | 'automations'>
/** Something that happens besides jobs. */
export type TimelineEntry = Scenario['timeline'][number]

/** What a chat is answered with, by the first rule that matches it. */
export type ChatRule = Scenario['chat']['rules'][number]
export type ChatPace = NonNullable<Scenario['chat']['pace']>
export type Policy = NonNullable<ChatRule['policy']>
/** What a rule, or a function of one, says. */
export type Said = Exclude<Policy['better'], readonly unknown[]>

/** The parts of a scenario that webhooks are made of. */
export type WebhookParts = Pick<Scenario, 'secrets' | 'webhooks' | 'automations'>
