import * as z from 'zod'
import { DEFAULT_FRAMEWORK, frameworkVersions } from '../../contract/framework.js'
import { clockModes, FASTEST } from '../../../base/clock/clock.js'
import { LOCAL_ACCOUNT } from '../account.js'
import { MOST_NAMED } from '../most-named.js'
import type { BuiltInScenarioName } from '../built-in-names.js'
import { chat, contextWindow } from './chat.js'
import { checkSettings } from './checks.js'
import { compareParts } from './compared-parts.js'
import { fault } from './faults.js'
import { job, nothingToTrain, stepCount } from './jobs.js'
import { played } from './play.js'
import { timelineEntry } from './timeline.js'
import type { KnownName } from './text.js'
import { automation, automationLimits, secrets, webhook } from './webhooks.js'
import { anyText, flag, natural, nonEmptyText, positive, tooMany, valuesMean } from './values.js'

/**
 * The schema of a scenario. The TypeScript types (../scenario.ts), the error messages and the JSON Schema
 * for editors come from it. Editors show each description to people who write scenarios.
 *
 * Loading the schema takes as long as the rest of the start. So only code that reads a user's scenario
 * imports it, and the build checks the built-in scenarios. Parsing fills in defaults and changes nothing
 * else: a parsed scenario is valid again.
 */

const queue = z
  .strictObject({
    success: flag
      .default(true)
      .meta({ description: 'Whether the queue works.', examples: [false] }),
    duration: z
      .number()
      .nonnegative()
      .default(0.01)
      .meta({ description: 'How long the check of the queue took, in seconds.', examples: [30] }),
    error: z
      .string()
      .nullable()
      .default(null)
      .meta({ description: 'The error message of the queue.', examples: ['no worker answers'] }),
  })
  .prefault({})

/** The base models that are listed if a scenario names none. */
export const USUAL_BASE_MODELS = ['example/base-8b-instruct', 'example/base-14b-instruct']

const baseModel = z.union(
  [
    nonEmptyText.describe('The id of a base model.'),
    z
      .strictObject({
        id: nonEmptyText.meta({
          description: 'The id of the base model.',
          examples: ['example/base-8b-instruct'],
        }),
        context_window: contextWindow.optional().meta({
          description:
            'The most tokens of a prompt and its answer, also for models trained from it. Default: `chat.context_window`.',
          examples: [8192],
        }),
        tokenizer: nonEmptyText.optional().meta({
          description:
            'A folder with tokenizer.json and tokenizer_config.json, as model hubs publish them. Tokens are then those of that tokenizer and of its chat template, also for models trained from it. The path is relative to the scenario file. Default: the built-in encoding.',
          examples: ['./tokenizers/my-model'],
        }),
      })
      .describe('A base model with options.'),
  ],
  {
    error:
      'expected an id, or an object such as { id: org/model, context_window: 8192, tokenizer: ./folder }',
  },
)

/** The limit for lists of things that are not named. */
const MOST_ITEMS = 10_000

function listOf<Item extends z.ZodType>(item: Item, most: number) {
  return z.array(item).max(most, tooMany(most)).default([])
}

function mostTokens(what: 'trajectory' | 'example') {
  return positive.optional().meta({
    description: `The most tokens of ${what === 'example' ? 'an' : 'a'} ${what}. A longer one is dropped, and the metric num_dropped_trajectories of the job says how many were. Default: no limit.`,
    examples: [4096],
  })
}

/** In code, the names of the built-in scenarios complete. */
type ParentName = KnownName<BuiltInScenarioName>

export const scenarioSchema = z
  .strictObject({
    $schema: anyText.optional().meta({
      description: 'The JSON Schema, for editors. It has no effect.',
      examples: ['./node_modules/svtrain-emulator/dist/scenario.schema.json'],
    }),
    name: nonEmptyText.meta({
      description: 'The name of the scenario.',
      examples: ['my-scenario'],
    }),
    description: anyText.default('').meta({
      description: 'What happens in the scenario, in one sentence.',
      examples: ['The third job runs out of memory.'],
    }),
    extends: (nonEmptyText as z.ZodType<ParentName, ParentName>).optional().meta({
      description:
        'The name of a built-in scenario, or the path of a file, that this scenario extends. Fields that are missing here come from it.',
      examples: ['happy-path', './common.yaml'],
    }),
    seed: natural.optional().meta({
      description: 'The seed of all random draws. The same seed gives the same run. Default: 1.',
      examples: [7],
    }),
    clock: z
      .strictObject({
        mode: z.enum(clockModes).meta({
          ...valuesMean('How time passes.', {
            real: 'like real time',
            auto: 'time skips ahead when a client polls',
            manual: 'a test moves the time',
            instant: 'a job is over before its creation is answered',
          }),
          examples: ['auto'],
        }),
        speed: z
          .number()
          .positive()
          .max(FASTEST)
          .optional()
          .meta({
            description:
              'Seconds of the scenario per second of real time, in `real` mode. Default: 1.',
            examples: [100],
          }),
      })
      .optional()
      .meta({
        description: 'How time passes. Options of the emulator and flags take precedence.',
        examples: [{ mode: 'auto' }],
      }),
    auth: z
      .strictObject({
        keys: z
          .record(
            nonEmptyText,
            z.strictObject({
              user: anyText
                .default(LOCAL_ACCOUNT.user)
                .meta({ description: 'The user that the key belongs to.', examples: ['ada'] }),
              entity: anyText.default(LOCAL_ACCOUNT.entity).meta({
                description: 'The entity (team or user) that owns models created with the key.',
                examples: ['research'],
              }),
            }),
          )
          .optional()
          .meta({
            description: 'The accepted API keys, each with its user and entity. Default: any key.',
            examples: [{ 'key-of-ada': { user: 'ada', entity: 'research' } }],
          }),
        separateEntities: flag.default(false).meta({
          description:
            'Whether a key may use only the models, jobs and checkpoints of its own entity. It gets 404 for those of others.',
          examples: [true],
        }),
        missingStatus: z
          .union([z.literal(401), z.literal(403)])
          .default(401)
          .meta({
            description: 'The HTTP status of a request to the training host without a key.',
            examples: [403],
          }),
        open: z
          .array(z.enum(['health', 'system-check']))
          .default([])
          .meta({ description: 'Operations that need no key.', examples: [['health']] }),
      })
      .prefault({})
      .meta({
        description: 'The API keys of the account.',
        examples: [{ keys: { 'key-of-ada': { user: 'ada' } } }],
      }),
    artifactScheme: z
      .string()
      .regex(/^[a-z][a-z0-9+.-]*$/, 'expected a URL scheme such as artifact')
      .default('artifact')
      .meta({
        description: 'The URL scheme of artifact names in responses.',
        examples: ['models'],
      }),
    base_models: z
      .array(baseModel)
      .min(1)
      .max(MOST_NAMED, tooMany(MOST_NAMED))
      .default(USUAL_BASE_MODELS)
      .meta({
        description:
          'The base models: ids, or objects such as { id: org/model, context_window: 8192, tokenizer: ./folder }. A base model of an existing model is also served.',
        examples: [['org/model-8b', { id: 'org/model-70b', context_window: 8192 }]],
      }),
    models: listOf(
      z.strictObject({
        entity: anyText.optional().meta({
          description: `The entity (team or user) that owns the model. Default: ${LOCAL_ACCOUNT.entity}.`,
          examples: ['research'],
        }),
        project: anyText.meta({ description: 'The project of the model.', examples: ['verse'] }),
        name: anyText.meta({ description: 'The name of the model.', examples: ['poet'] }),
        base_model: anyText.meta({
          description: 'The id of the base model.',
          examples: ['example/base-8b-instruct'],
        }),
      }),
      MOST_ITEMS,
    ).meta({
      description: 'Models that exist at the start.',
      examples: [[{ project: 'verse', name: 'poet', base_model: 'example/base-8b-instruct' }]],
    }),
    rl: z
      .strictObject({
        nothing_to_train: nothingToTrain,
        most_tokens: mostTokens('trajectory'),
      })
      .prefault({})
      .meta({ description: 'The training of RL jobs.', examples: [{ nothing_to_train: 'fail' }] }),
    checks: checkSettings,
    message_arrays: z
      .enum(['clients', 'checked', 'unchecked', 'any'])
      .default('clients')
      .meta({
        ...valuesMean('How strictly messages of trajectories are read.', {
          clients:
            'arrays in messages must have valid items, but fields of an answer that a client dumped may be null',
          checked: 'the same, and no field may be null',
          unchecked: 'nobody looks at the items',
          any: 'any message is accepted',
        }),
        examples: ['checked'],
      }),
    framework: z
      .enum(frameworkVersions)
      .default(DEFAULT_FRAMEWORK)
      .meta({
        ...valuesMean('The release of the framework that the training API answers like.', {
          'fastapi-0.131': 'a body without a Content-Type is read as JSON',
          'fastapi-0.142': 'it is refused',
          'fastapi-0.165':
            'it is refused, and the errors for UUIDs and for a body that is null have other words',
        }),
        examples: ['fastapi-0.165'],
      }),
    sft: z
      .strictObject({
        sequences: stepCount.optional().meta({
          description:
            'The number of examples that the emulator assumes for training data that it cannot open, such as an artifact. Default: as many as a list of learning rates is for, times the batch size; otherwise 8.',
          examples: [100],
        }),
        most_tokens: mostTokens('example'),
        files: z
          .record(z.string(), z.string())
          .default({})
          .meta({
            description:
              'Files to read instead of training data URLs. The key is the URL, the value a path or another URL.',
            examples: [{ 'https://data.test/train.jsonl': './train.jsonl' }],
          }),
      })
      .prefault({})
      .meta({ description: 'The training data of SFT jobs.', examples: [{ sequences: 100 }] }),
    jobs: listOf(job, MOST_ITEMS).meta({
      description:
        'The rules for jobs. A job follows the first rule that matches it. If none matches, it trains and ends successfully.',
      examples: [
        [
          {
            timeline: [
              { event: 'training_started' },
              { event: 'training_failed', error_message: 'out of memory' },
            ],
          },
        ],
      ],
    }),
    chat,
    faults: listOf(fault, MOST_NAMED).meta({
      description:
        'What goes wrong with calls. All faults that match a call are applied in order, up to the first one that ends the call.',
      examples: [[{ fault: 'status', status: 503, calls: { to: 2 } }]],
    }),
    secrets: secrets.default({}),
    webhooks: listOf(webhook, MOST_NAMED).meta({
      description: 'The receivers of webhooks, and how deliveries reach them.',
      examples: [[{ name: 'deploy', url: 'http://127.0.0.1:8080/hooks' }]],
    }),
    automations: listOf(automation, MOST_NAMED).meta({
      description: 'Which events call which webhook, and with which payload.',
      examples: [[{ event: 'RUN_STATE', name: 'job-over', webhook: 'deploy' }]],
    }),
    automation_limits: automationLimits.optional().meta({
      description:
        'How often each automation may fire, also one that a program makes. What is too much is skipped, and the log says so. Default: as often as its event happens.',
      examples: [{ cooldown: '5m' }, { rate: { firings: 10, within: '1h' } }],
    }),
    timeline: listOf(timelineEntry, MOST_ITEMS).meta({
      description: 'What happens besides jobs, at a time or after an event.',
      examples: [[{ at: '30s', do: 'stall_job', model: 'poet' }]],
    }),
    system_check: z
      .strictObject({
        database: flag
          .default(true)
          .meta({ description: 'Whether the database works.', examples: [false] }),
        cpu_queue: queue.meta({
          description: 'The queue for work on CPUs.',
          examples: [{ success: false, error: 'no worker answers' }],
        }),
        gpu_queue: queue.meta({
          description: 'The queue for work on GPUs.',
          examples: [{ success: false, error: 'no worker answers' }],
        }),
      })
      .prefault({})
      .meta({
        description: 'The result of the system check. It answers 503 if any part does not work.',
        examples: [{ database: false }],
      }),
    play: z
      .strictObject({
        jobs: z
          .array(played)
          .min(1)
          .prefault([{}])
          .meta({
            description: 'The jobs to submit, in order.',
            examples: [[{ model: 'poet', repeat: 3 }]],
          }),
      })
      .prefault({})
      .meta({
        description: 'What `svtrain-emulator play` does with the scenario.',
        examples: [{ jobs: [{ kind: 'sft' }] }],
      }),
  })
  .superRefine(compareParts)
