import type { z } from 'zod'
import type { condition } from './schema/condition.js'
import type { scenarioSchema } from './schema/scenario.js'

// This file has only types, so that the engine does not load the schema library.

/**
 * A checked scenario, with defaults filled in. It has the keys of `docs/reference/scenario.md`. Fields that the
 * wire format also has keep its spelling (`error_message`).
 */
export type Scenario = z.output<typeof scenarioSchema>

/**
 * A scenario as you write it: the content of a file, or an object for `createEmulator`. See
 * `docs/reference/scenario.md` for its keys. In code, some values may also be functions.
 */
export type ScenarioInput = z.input<typeof scenarioSchema>

export type AuthRules = Scenario['auth']
export type RlRules = Scenario['rl']
export type Condition = z.output<typeof condition>

/** What happens to the jobs that match a rule. The first rule that matches a job applies. */
export type JobRule = Scenario['jobs'][number]
/** `rl` trains on trajectories with rewards, `sft` on examples. */
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
export type SpoiledSteps = GradientSteps['spoil'][number]

/** What goes wrong with the calls that match a rule. */
export type FaultRule = Scenario['faults'][number]
/** A fault, written as in a scenario. See `docs/reference/scenario.md` for its keys. */
export type FaultInput = NonNullable<ScenarioInput['faults']>[number]
/** A receiver of webhooks, and how deliveries reach it. */
export type WebhookRule = Scenario['webhooks'][number]
/** An automation: the event that it watches for, and the webhook that it calls. */
export type AutomationRule = Scenario['automations'][number]
/** The type of an event that automations can watch for. */
export type EventType = AutomationRule['event']
export type AdversaryRule = WebhookRule['adversary'][number]
/**
 * The parts of a scenario that can be added while the emulator runs. See `docs/reference/scenario.md` for
 * their keys.
 */
export type WebhookPartsInput = Pick<ScenarioInput, 'secrets' | 'webhooks' | 'automations'>
/** Something that happens besides jobs, at a time or after an event. */
export type TimelineEntry = Scenario['timeline'][number]

/** What chats answer. The first rule that matches a chat applies. */
export type ChatRule = Scenario['chat']['rules'][number]
/** How the tokens of a prompt differ from those that were sampled. */
export type Drift = NonNullable<Scenario['chat']['drift']>
export type ChatPace = NonNullable<Scenario['chat']['pace']>
export type Policy = NonNullable<ChatRule['policy']>
export type LearnerRule = NonNullable<ChatRule['learner']>
/** An answer of a rule, or of its function. */
export type Reply = Exclude<Policy['better'], readonly unknown[]>

/** The webhooks, automations and secrets of a checked scenario. */
export type WebhookParts = Pick<Scenario, 'secrets' | 'webhooks' | 'automations'>

/** How requests are answered that ask a model to score texts. */
export type JudgeRules = Exclude<NonNullable<Scenario['chat']['judge']>, false>
export type JudgeMistake = Exclude<NonNullable<JudgeRules['mistake']>, readonly unknown[]>
