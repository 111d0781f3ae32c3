import { fieldsIn } from './changes.js'
import { messageOrChoice } from './message.js'
import { anything, boolean, number, string } from './pydantic/scalars.js'
import { dateTime } from './pydantic/date-time.js'
import { dictionary, list, nullable } from './pydantic/containers.js'
import { assumed, optional } from './pydantic/fields.js'
import { integer } from './pydantic/integer.js'
import { literal } from './pydantic/literal.js'
import { model, typedDict } from './pydantic/model.js'
import type { Infer } from './pydantic/schema.js'
import { union } from './pydantic/union.js'
import { versioned } from './versioned.js'

// Missing fields of a trajectory stay missing, because jobs submit thousands, and few of their fields are read.

const metrics = dictionary(union([number, integer, boolean]))
const anyObject = dictionary(anything)

const functionDefinition = typedDict('FunctionDefinition', {
  name: string,
  description: optional(string),
  parameters: optional(dictionary(anything)),
  strict: optional(nullable(boolean)),
})

const tool = typedDict(
  'ChatCompletionFunctionToolParam',
  { function: functionDefinition, type: literal('function') },
  { description: 'A function that the model may call.' },
)

const history = model('History', {
  messages_and_choices: list(messageOrChoice),
  tools: assumed(nullable(list(tool)), () => null),
})

const exception = model(
  'PydanticException',
  { type: string, message: string, traceback: string },
  { description: 'Why a trajectory could not be gathered.' },
)

export const trajectory = versioned((version) =>
  model(
    'Trajectory',
    fieldsIn(version, 'Trajectory', {
      messages_and_choices: assumed(list(messageOrChoice), () => []),
      tools: assumed(nullable(list(tool)), () => null),
      additional_histories: assumed(list(history), () => []),
      reward: assumed(number, () => 0),
      initial_policy_version: assumed(nullable(integer), () => null),
      final_policy_version: assumed(nullable(integer), () => null),
      metrics: assumed(metrics, () => ({})),
      metadata: assumed(anyObject, () => ({})),
      logs: assumed(list(string), () => []),
      // The service fills in the time of arrival. Here the field stays missing, because a schema has no clock.
      start_time: optional(dateTime),
      // HTTP calls that a client captured, by wire format. The service documents no schema for them.
      exchanges: optional(anyObject),
    }),
  ),
)

// Clients leave out empty fields, so an empty group is `{}`.
export const trajectoryGroup = versioned((version) =>
  model(
    'TrajectoryGroup',
    fieldsIn(version, 'TrajectoryGroup', {
      trajectories: optional(list(trajectory.in(version))),
      exceptions: optional(list(exception)),
      metadata: optional(anyObject),
      metrics: optional(metrics),
      logs: optional(list(string)),
    }),
  ),
)

export const logRequest = versioned((version) =>
  model(
    'LogRequest',
    { split: string, trajectory_groups: list(trajectoryGroup.in(version)) },
    { description: 'Trajectories to log, and the split that they belong to.' },
  ),
)

export type TrajectoryGroup = Infer<typeof trajectoryGroup>

export type Trajectory = NonNullable<TrajectoryGroup['trajectories']>[number]
