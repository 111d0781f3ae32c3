import type { z } from 'zod'
import type { condition } from './schema/condition.js'
import type { scenarioSchema } from './schema/scenario.js'

/**
 * A checked scenario, with defaults filled in. This file has only types, so the engine does not load the
 * schema library. Names that are also used on the wire keep their spelling (`error_message`).
 */
export type Scenario = z.output<typeof scenarioSchema>

/** A scenario file, or the object that you pass to `createEmulator`. */
export type ScenarioInput = z.input<typeof scenarioSchema>

export type AuthRules = Scenario['auth']
export type SftRules = Scenario['sft']
export type Condition = z.output<typeof condition>

/** What the jobs that match a rule do. The first rule that matches a job applies. */
export type JobRule = Scenario['jobs'][number]
export type JobKind = Scenario['play']['jobs'][number]['kind']
export type TimelineStep = JobRule['timeline'][number]
export type GradientSteps = Extract<TimelineStep, { event: 'gradient_step' }>
/** The options of a checkpoint. */
export type CheckpointOptions = Exclude<
  Extract<TimelineStep, { event: 'training_ended' }>['checkpoint'],
  boolean
>
/** The values of a metric over the steps of a job. `noise` is a standard deviation. */
export type Curve = GradientSteps['metrics'][string]
/** Bad data at some gradient steps. */
export type Spoiled = GradientSteps['spoil'][number]

/** Which calls go wrong, and how. */
export type FaultRule = Scenario['faults'][number]
export type FaultInput = NonNullable<ScenarioInput['faults']>[number]
/** Where deliveries are sent, and for which events. */
export type WebhookRule = Scenario['webhooks'][number]
export type AutomationRule = Scenario['automations'][number]
export type EventType = AutomationRule['event']
export type AdversaryRule = WebhookRule['adversary'][number]
/** What can be added to a scenario while the emulator runs. */
export type WebhookPartsInput = Pick<ScenarioInput, 'secrets' | 'webhooks' | 'automations'>
/** Something that happens besides jobs. */
export type TimelineEntry = Scenario['timeline'][number]

/** What chats answer. The first rule that matches a chat applies. */
export type ChatRule = Scenario['chat']['rules'][number]
export type ChatPace = NonNullable<Scenario['chat']['pace']>
export type Policy = NonNullable<ChatRule['policy']>
/** An answer of a rule, or of its function. */
export type Said = Exclude<Policy['better'], readonly unknown[]>

/** The parts of a scenario that webhooks use. */
export type WebhookParts = Pick<Scenario, 'secrets' | 'webhooks' | 'automations'>
