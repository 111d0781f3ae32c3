import { isRecord } from '../../service/contract/pydantic/record.js'
import { objectIn, type JsonObject } from './document.js'

/**
 * What the emulator answers where the documented schema says less: jobs and completions. The service documents
 * only the id of a job.
 */
export function withAnswers(document: JsonObject): JsonObject {
  const components = objectIn(document['components'])
  const schemas = objectIn(components['schemas'])
  const known = Object.entries(ANSWERS).filter(([name]) => isRecord(schemas[name]))
  return {
    ...document,
    components: { ...components, schemas: { ...schemas, ...Object.fromEntries(known) } },
  }
}

/** The operations that answer a stream of `CHUNK`. */
export const STREAMS_CHUNKS = /\/chat\/completions\/?$/

const text = { type: 'string' }
const integer = { type: 'integer' }
const maybeText = { type: ['string', 'null'] }

/** All fields but the last ones must be there. */
function fields(required: JsonObject, optional: JsonObject = {}): JsonObject {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
  }
}

function list(items: unknown): JsonObject {
  return { type: 'array', items }
}

function orNull(schema: unknown): JsonObject {
  return { anyOf: [schema, { type: 'null' }] }
}

const token = fields({ token: text, logprob: { type: 'number' }, bytes: orNull(list(integer)) })
const logprobs = orNull(
  fields({
    content: orNull(list({ allOf: [token, fields({ top_logprobs: list(token) })] })),
    refusal: orNull(list(token)),
  }),
)
const usage = fields({ prompt_tokens: integer, completion_tokens: integer, total_tokens: integer })
const finishReasons = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call']
const calls = (more: JsonObject, partial: JsonObject = {}): JsonObject =>
  list(
    fields(more, {
      ...partial,
      function: fields({}, { name: maybeText, arguments: maybeText }),
    }),
  )

/** Fields of an inference engine, which have any value. */
const ofEngine = { prompt_token_ids: {}, prompt_logprobs: {}, kv_transfer_params: {} }

const completion = fields(
  {
    id: text,
    object: { const: 'chat.completion' },
    created: integer,
    model: text,
    choices: list(
      fields(
        {
          index: integer,
          message: fields(
            { role: text, content: maybeText },
            { refusal: maybeText, tool_calls: orNull(calls({ id: text, type: text })) },
          ),
          finish_reason: { enum: finishReasons },
        },
        { logprobs, stop_reason: {}, token_ids: {} },
      ),
    ),
  },
  { usage: orNull(usage), ...ofEngine },
)

/** A chunk of a streamed completion. */
export const CHUNK: JsonObject = fields(
  {
    id: text,
    object: { const: 'chat.completion.chunk' },
    created: integer,
    model: text,
    choices: list(
      fields(
        {
          index: integer,
          delta: fields(
            {},
            {
              role: text,
              content: maybeText,
              refusal: maybeText,
              tool_calls: orNull(calls({ index: integer }, { id: maybeText, type: maybeText })),
            },
          ),
        },
        {
          finish_reason: { enum: [...finishReasons, null] },
          logprobs,
          stop_reason: {},
          token_ids: {},
        },
      ),
    ),
  },
  { usage: orNull(usage), ...ofEngine },
)

const ANSWERS: Readonly<Record<string, JsonObject>> = {
  TrainingJobResponse: fields(
    { id: text },
    {
      object: { const: 'training_job' },
      kind: { enum: ['rl', 'sft'] },
      model_id: text,
      status: { enum: ['queued', 'running', 'ended', 'failed'] },
      created_at: text,
      training_start: maybeText,
      training_end: maybeText,
      error_message: maybeText,
    },
  ),
  ChatCompletionResponse: completion,
  ChatCompletion: completion,
}
