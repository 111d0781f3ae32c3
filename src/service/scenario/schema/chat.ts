import * as z from 'zod'
import { DEFAULT_CONTEXT_WINDOW } from '../context-window.js'
import type { ChatFacts } from '../chat-facts.js'
import { FINISH_REASONS } from '../finish-reasons.js'
import { findTemplateProblem } from '../chat-template.js'
import { bounds, headerConditions } from './condition.js'
import { curve } from './curve.js'
import { judge } from './judge.js'
import { duration, globs, reporting } from './text.js'
import { textOn } from './text-match.js'
import {
  anyText,
  code,
  errorStatus,
  flag,
  json,
  natural,
  note,
  positive,
  share,
  tooMany,
  valuesMean,
} from './values.js'

const number = z.union([natural, bounds])

const match = z
  .union([
    z.strictObject({
      model: globs.optional().meta({
        description:
          'The name of the trained model, or the id of the base model: a glob such as poet*, or a list of globs. Default: any model.',
        examples: ['poet*'],
      }),
      step: number.optional().meta({
        description:
          'The step of the checkpoint that answers (0 for a base model), or bounds such as { at_least: 3 }. Default: any step.',
        examples: [0, { at_least: 3 }],
      }),
      user: textOn('The last user message'),
      system: textOn('The system message'),
      turn: number.optional().meta({
        description:
          'The number of user messages so far, or bounds such as { above: 1 }. Default: any number.',
        examples: [1, { above: 1 }],
      }),
      tools: z
        .union([z.boolean(), globs])
        .optional()
        .meta({
          description:
            'Whether the request offers tools, or the name of a tool that it offers: a glob, or a list of globs.',
          examples: [true, 'get_*'],
        }),
      headers: headerConditions({ 'x-team': 'red' }),
    }),
    code<(request: ChatFacts) => boolean>(),
  ])
  .default({})
  .meta({
    description: 'The chats that the rule answers. Default: all chats.',
    examples: [{ model: 'poet*', user: 'weather' }],
  })

const template = z
  .string()
  .superRefine(reporting(findTemplateProblem))
  .meta({
    description:
      'A text. It can have the placeholders {{user}}, {{system}}, {{model}}, {{name}}, {{step}}, {{turn}}, {{tool}}, {{match.1}} and {{match.<name>}}. {{tool}} is the name of the first tool that the request offers.',
    examples: ['You said: {{user}}'],
  })

const UNEXPECTED = {
  error: 'expected a text, or an object with content, tool_calls, refusal or error',
}

const message = z
  .strictObject({
    content: template.optional(),
    tool_calls: z
      .array(
        z.strictObject({
          name: template.min(1).meta({
            description: 'The name of the tool, such as {{tool}}.',
            examples: ['{{tool}}'],
          }),
          arguments: z
            .union([template, z.record(z.string(), json)])
            .optional()
            .meta({
              description:
                'The arguments: a map, or JSON as text. Default: random values that match the schema of the tool.',
              examples: [{ city: 'Paris' }],
            }),
        }),
      )
      .min(1)
      .optional()
      .meta({
        description: 'Tools that the answer calls.',
        examples: [[{ name: 'get_weather', arguments: { city: 'Paris' } }]],
      }),
    refusal: template.optional().meta({
      description: 'The text with which the model refuses to answer.',
      examples: ['I cannot help with that.'],
    }),
    finish_reason: z
      .enum(FINISH_REASONS)
      .optional()
      .meta({
        description: 'Why the answer ends. Default: tool_calls if it calls a tool, or stop.',
        examples: ['length'],
      }),
  })
  .describe('A message of the model.')

const reply = z
  .union(
    [
      template,
      message,
      z
        .strictObject({
          error: errorStatus.meta({
            description: 'The HTTP status of the response.',
            examples: [429],
          }),
          message: anyText.optional().meta({
            description: 'The error message. Default: the message of the host for this status.',
            examples: ['Slow down.'],
          }),
          retry_after: duration.optional().meta({
            description: 'How long a Retry-After header asks the client to wait, such as 2s.',
            examples: ['2s'],
          }),
        })
        .describe('An error: the request is refused with this status.'),
    ],
    UNEXPECTED,
  )
  .meta({
    title: 'Answer',
    description: 'An answer to a chat: a text, a message, or an error.',
    examples: [
      'It is sunny.',
      { tool_calls: [{ name: 'get_weather', arguments: { city: 'Paris' } }] },
      { error: 429, retry_after: '2s' },
    ],
  })

const answer = z.union([reply, code<(request: ChatFacts) => ReplyInput | Promise<ReplyInput>>()], {
  ...UNEXPECTED,
})

type ReplyInput = z.input<typeof reply>

const policy = z
  .strictObject({
    better: z.union([reply, z.array(reply).min(1)]).meta({
      description: 'The better answer. From a list, each chat draws one (seeded).',
      examples: ['The answer is 4.', ['Four.', '4']],
    }),
    worse: z.union([reply, z.array(reply).min(1)]).meta({
      description: 'The worse answer. From a list, each chat draws one (seeded).',
      examples: ['I do not know.'],
    }),
    chance: curve.meta({
      description:
        'The probability of the better answer, from 0 to 1: a number, or a curve over the steps of checkpoints such as { curve: sigmoid, from: 0.1, to: 0.9 }.',
      examples: [0.5, { curve: 'sigmoid', from: 0.1, to: 0.9 }],
    }),
    steps: positive.default(10).meta({
      description: 'The number of checkpoint steps until the curve reaches its end.',
      examples: [5],
    }),
    learns_from: z
      .enum(['steps', 'rewards'])
      .default('steps')
      .meta({
        ...valuesMean('Which steps count.', {
          steps: 'every step',
          rewards: 'only steps whose trajectories had different rewards within a group',
        }),
        examples: ['rewards'],
      }),
  })
  .meta({
    description: 'A policy that gets better or worse with each checkpoint.',
    examples: [{ better: 'The answer is 4.', worse: 'I do not know.', chance: 0.5 }],
  })

/** The most answers that a learner may be given. Each of them is compared with each trained answer. */
const MOST_CANDIDATES = 1000

const learner = z
  .strictObject({
    chance: curve.default({ curve: 'linear', from: 0, to: 0.9 }).meta({
      description:
        'The probability that the model uses what it has learned, from 0 to 1: a number, or a curve over the training steps such as { curve: linear, from: 0, to: 0.9 }. Otherwise it tries something else.',
      examples: [0.8, { curve: 'linear', from: 0, to: 0.9 }],
    }),
    steps: positive.default(5).meta({
      description:
        'The number of training steps until the curve reaches its end. A step counts only if its rewards differed within a group.',
      examples: [10],
    }),
    candidates: z
      .array(z.union([template, message], UNEXPECTED))
      .max(MOST_CANDIDATES, tooMany(MOST_CANDIDATES))
      .default([])
      .meta({
        description:
          'Answers that the model also tries. Add the right answers here if the prompts do not name them.',
        examples: [['Yes.', 'No.']],
      }),
  })
  .meta({
    description:
      'A model that learns: it repeats the answers that training jobs rewarded most, and tries others.',
    examples: [{ candidates: ['Yes.', 'No.'], steps: 10 }],
  })

const pace = z
  .strictObject({
    first_token: duration
      .prefault('0')
      .meta({ description: 'The time until the first token, such as 300ms.', examples: ['300ms'] }),
    tokens_per_second: z
      .number()
      .positive()
      .optional()
      .meta({
        description: 'The number of tokens in each second. Default: all tokens come at once.',
        examples: [50],
      }),
    jitter: share.default(0).meta({
      description: 'How much each wait varies, as a share of it: 0.2 is up to 20 % (seeded).',
      examples: [0.2],
    }),
  })
  .meta({
    title: 'Pace',
    description: 'How fast answers arrive, on the clock of the emulator. Default: at once.',
    examples: [{ first_token: '300ms', tokens_per_second: 50 }],
  })

const rule = z
  .strictObject({
    description: note('Knows the weather.'),
    match,
    answer: answer.optional().meta({
      description:
        'The answer to every chat: a text, or an object with content, tool_calls, refusal or error.',
      examples: ['It is sunny.', { refusal: 'I cannot say.' }, { error: 429 }],
    }),
    answers: z
      .array(answer)
      .min(1)
      .optional()
      .meta({
        description:
          'Answers that are used one after the other, one for each chat. The last one repeats, unless `repeat` is true.',
        examples: [['One.', 'Two.']],
      }),
    repeat: flag.default(false).meta({
      description: 'Whether `answers` start again with the first one after the last one.',
      examples: [true],
    }),
    policy: policy.optional(),
    learner: learner.optional(),
    pace: pace.optional().meta({
      description: 'How fast these answers arrive. Default: the `pace` of the scenario.',
      examples: [{ tokens_per_second: 5 }],
    }),
  })
  .superRefine(({ answer: one, answers, policy: changing, learner: learning }, context) => {
    const given = [one, answers, changing, learning].filter((each) => each !== undefined)
    if (given.length === 1) return
    const problem = 'expected one of answer, answers, policy and learner'
    context.addIssue({ code: 'custom', message: problem })
  })

/** The tokens of a prompt and its answer. */
export const contextWindow = positive

/** A chat may have to be compared with all rules. */
const MOST_RULES = 10_000

export const chat = z
  .strictObject({
    rules: z
      .array(rule)
      .max(MOST_RULES, tooMany(MOST_RULES))
      .default([])
      .meta({
        description:
          'The rules that answer chats. The first one that matches a chat answers it. If none matches, the answer is random (seeded).',
        examples: [[{ match: { user: 'weather' }, answer: 'It is sunny.' }]],
      }),
    judge,
    pace: pace.optional(),
    concurrency: positive.optional().meta({
      description:
        'The most chats of one project that may be in progress at the same time. Further ones get 429. Default: no limit.',
      examples: [2],
    }),
    context_window: contextWindow.optional().meta({
      description: `The most tokens of a prompt and its answer, for models whose base model has no window of its own in \`base_models\`. A longer prompt is refused with 400. Default: ${DEFAULT_CONTEXT_WINDOW}.`,
      examples: [4096],
    }),
    cut_off: share.optional().meta({
      description:
        'The share of answers, from 0 to 1, that end somewhere in the middle with the finish_reason length, as if the model had reached its limit of tokens (seeded). Answers of a judge are never cut off. Default: none.',
      examples: [0.75],
    }),
    apply_adapters: flag.optional().meta({
      description:
        'Whether checkpoints answer with what they have learned. false: they answer like their base model, and jobs and checkpoints look as usual. Default: true.',
      examples: [false],
    }),
    refuse_malformed_calls: flag.optional().meta({
      description:
        'Whether a chat gets 400 if a call in its history has arguments that are not JSON, as from servers before the middle of 2026. Default: false, and the log says it.',
      examples: [true],
    }),
    drift: z
      .enum(['stripsThinking', 'retokenizes', 'reordersTools'])
      .optional()
      .meta({
        ...valuesMean(
          'Makes the tokens of a prompt differ from those that were sampled in the turn before.',
          {
            stripsThinking:
              'prompts leave out the thinking of earlier answers, and answers that no rule writes begin with thinking',
            retokenizes:
              'an answer is sampled in other tokens than those that its text has in later prompts',
            reordersTools:
              'every second turn lists tools, and the arguments of calls, in the opposite order',
          },
          'Default: the tokens continue.',
        ),
        examples: ['retokenizes'],
      }),
    serve_any_model: flag.optional().meta({
      description:
        'Whether any model name is answered, as a base model of that name. Names of artifacts must still exist. Default: false. The option of the emulator and the flag take precedence.',
      examples: [true],
    }),
  })
  .prefault({})
  .meta({
    description: 'What chats answer, and how fast.',
    examples: [{ rules: [{ answer: 'It is sunny.' }] }],
  })
