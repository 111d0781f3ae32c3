import { fieldsIn } from './changes.js'
import { anything, boolean, number, string } from './pydantic/scalars.js'
import { dictionary, list, nullable } from './pydantic/containers.js'
import { assumed, defaulted, optional, required, undocumented } from './pydantic/fields.js'
import { integer } from './pydantic/integer.js'
import { enumeration, literal } from './pydantic/literal.js'
import { model } from './pydantic/model.js'
import { parameters } from './pydantic/parameters.js'
import { union } from './pydantic/union.js'
import { uuid } from './pydantic/uuid.js'
import { trajectoryGroup } from './trajectory.js'
import { versioned } from './versioned.js'

const optionalBoolean = optional(nullable(boolean))
const optionalInteger = optional(nullable(integer))
const optionalNumber = optional(nullable(number))

const experimentalTrainingConfig = model(
  'ExperimentalTrainingConfig',
  {
    advantage_balance: optionalNumber,
    allow_training_without_logprobs: optionalBoolean,
    epsilon: optionalNumber,
    epsilon_high: optionalNumber,
    importance_sampling_level: optional(
      nullable(literal('token', 'sequence', 'average', 'geometric_average')),
    ),
    kimi_k2_tau: optionalNumber,
    kl_penalty_coef: optionalNumber,
    kl_penalty_reference_step: optionalInteger,
    kl_penalty_source: optional(nullable(literal('current_learner', 'sample'))),
    kl_penalty_step_lag: optionalInteger,
    kl_ref_adapter_path: optional(nullable(string)),
    learning_rate: optionalNumber,
    logprob_calculation_chunk_size: optionalInteger,
    loss_fn: optional(nullable(literal('cispo', 'ppo'))),
    mask_prob_ratio: optionalBoolean,
    max_negative_advantage_importance_sampling_weight: optionalNumber,
    normalize_advantages: optionalBoolean,
    num_trajectories_learning_rate_multiplier_power: optionalNumber,
    packed_sequence_length: optionalInteger,
    plot_tensors: optionalBoolean,
    ppo: optionalBoolean,
    precalculate_logprobs: optionalBoolean,
    scale_learning_rate_by_reward_std_dev: optionalBoolean,
    scale_rewards: optionalBoolean,
    truncated_importance_sampling: optionalNumber,
  },
  { description: 'Settings of reinforcement learning that may still change.' },
)

const sftMetricLoggingConfig = model(
  'SFTMetricLoggingConfig',
  { enabled: assumed(boolean, () => false), target_training_step: optional(integer) },
  { description: 'Whether the service logs the metrics of the job, and at which training step.' },
)

export const createTrainingJob = versioned((version) =>
  model(
    'CreateTrainingJob',
    {
      model_id: uuid,
      trajectory_groups: list(trajectoryGroup.in(version)),
      experimental_config: assumed(nullable(experimentalTrainingConfig), () => null),
    },
    { description: 'A reinforcement-learning job to start.' },
  ),
)

const sftTrainingConfig = versioned((version) =>
  model(
    'SFTTrainingConfig',
    fieldsIn(version, 'SFTTrainingConfig', {
      batch_size: optional(nullable(union([integer, literal('auto')]))),
      learning_rate: optional(nullable(union([number, list(number)]))),
      assistant_turns: assumed(literal('all', 'last'), () => 'all' as const),
      metric_logging: optional(nullable(sftMetricLoggingConfig)),
    }),
    { description: 'Settings of supervised fine-tuning.' },
  ),
)

export const createSftTrainingJob = versioned((version) =>
  model(
    'CreateSFTTrainingJob',
    {
      model_id: uuid,
      training_data_url: required(string, {
        description: 'Where the training data is: the path of an artifact that holds it.',
      }),
      config: defaulted(nullable(sftTrainingConfig.in(version)), () => null),
      experimental_config: defaulted(nullable(dictionary(anything)), () => null),
    },
    { description: 'A supervised fine-tuning job to start, its data uploaded beforehand.' },
  ),
)

/** The service documents only `id`. We chose the other fields. Times are in ISO 8601, in UTC. */
export const trainingJobResponse = model(
  'TrainingJobResponse',
  {
    id: uuid,
    ...undocumented({
      object: literal('training_job'),
      kind: literal('rl', 'sft'),
      model_id: uuid,
      status: literal('queued', 'running', 'ended', 'failed'),
      created_at: string,
      training_start: nullable(string),
      training_end: nullable(string),
      error_message: nullable(string),
    }),
  },
  { description: 'A training job.' },
)

/** The types of job events that clients see. */
export const trainingJobEventTypes = [
  'training_started',
  'gradient_step',
  'training_ended',
  'training_failed',
] as const

const trainingJobEventType = enumeration(
  'TrainingJobEventType',
  trainingJobEventTypes,
  'What happened to a training job.',
)

export const trainingJobEventResponse = model(
  'TrainingJobEventResponse',
  { id: uuid, type: trainingJobEventType, data: dictionary(anything) },
  { description: 'Something that happened to a training job.' },
)

export const trainingJobPath = parameters('path', { training_job_id: string })
