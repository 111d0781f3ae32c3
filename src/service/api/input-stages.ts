import { capitalize } from '../../base/text/capitalize.js'
import { shortened } from '../../base/text/shortened.js'
import { ApiError, apiErrors } from '../contract/errors.js'
import { BODY_LIMIT, type Outcome } from '../contract/exchange.js'
import {
  contentTypeIn,
  DEFAULT_FRAMEWORK,
  problemsIn,
  type FrameworkVersion,
} from '../contract/framework.js'
import { readJsonBody } from '../contract/pydantic/body.js'
import { model } from '../contract/pydantic/model.js'
import { parameters } from '../contract/pydantic/parameters.js'
import type { Problem } from '../contract/pydantic/problem.js'
import type { MessageArrays } from '../contract/pydantic/reader.js'
import { validateBody } from '../contract/pydantic/validate.js'
import { encode, Refusal } from './encode.js'
import type { ReceivedJson } from './operation.js'
import { NO_BODY, type RequestContext, type Stage } from './pipeline.js'
import { inputHint } from './refusal-hint.js'
import { lastOfEach, repeatedIn } from './route.js'

/** How strictly a pipeline reads requests. */
export interface InputRules {
  /** Query parameters and bodies that the row does not declare. */
  readonly undeclared: 'ignored' | 'refused'
  /** A query parameter that is given more than once. */
  readonly repeated: 'last counts' | 'refused'
  /** The content types that a JSON body may have. */
  readonly contentType: 'json' | 'any'
  /** A request without a body. */
  readonly noBody: 'missing' | 'same as {}'
}

/** Makes the stage that reads the body as JSON. */
export function readBody<C extends RequestContext>(rules: InputRules): Stage<C> {
  return (context, next) => {
    const { row } = context
    if (row.readsBody || (!row.body && rules.undeclared === 'ignored')) return next(context)
    const json = jsonIn(context, rules)
    if (json instanceof ApiError) return encode(json, context.host)
    if (json instanceof Refusal) return refuse(json, context)
    context.json = json
    return next(context)
  }
}

/** Makes the stage that checks path, query and body against the schemas of the row. */
export function validate<C extends RequestContext>(rules: InputRules): Stage<C> {
  const { undeclared, repeated, noBody } = rules
  const refuses = undeclared === 'refused'
  return (context, next) => {
    const { request, json, row } = context
    const query = row.query ?? (refuses ? NO_QUERY_TAKEN : undefined)
    const body = row.body ?? (refuses && !row.readsBody ? NO_BODY_TAKEN : undefined)
    const sentBody = noBody === 'same as {}' ? (json.value ?? {}) : json.value
    const checked = [
      row.params?.validate(context.pathParameters),
      query?.validate(lastOfEach(request.query)),
      body &&
        validateBody(body, sentBody, {
          messageArrays: messageArraysOf(context),
          exact: sentBody === json.value ? json.exact : undefined,
        }),
    ]
    const repetitions = repeated === 'refused' ? repeatedIn(request.query) : NO_NAMES
    const problems = checked.flatMap((part) => (part === undefined || part.ok ? [] : part.problems))
    if (repetitions.length > 0 || problems.length > 0) {
      const reported = problemsIn(frameworkOf(context), problems, json.value)
      return refuse(new Refusal([...repetitions.map(repetition), ...reported]), context)
    }
    const values = checked.map((part) => (part?.ok ? part.value : undefined))
    context.params = values[0]
    context.query = values[1]
    context.body = values[2]
    return next(context)
  }
}

/** The most problems of a request that the journal has. */
const MOST_NOTED = 200

/** Encodes a refusal. The journal explains one that the framework cannot print. */
function refuse(refusal: Refusal, { host, entry }: RequestContext): Outcome {
  const outcome = encode(refusal, host)
  const status = outcome.kind === 'response' ? outcome.status : undefined
  const isUnprintable = status === 500
  // Without the inputs, which the journal does not keep.
  if (status === 422) {
    entry.problems = refusal.problems
      .slice(0, MOST_NOTED)
      .map(({ type, loc, msg }) => ({ type, loc, msg }))
  }
  // The control API answers in words.
  const words = host === 'control' ? undefined : inputHint(refusal.problems)
  const hint = isUnprintable ? UNPRINTABLE_HINT : words
  if (hint !== undefined) entry.hint = hint
  return outcome
}

const UNPRINTABLE_HINT =
  'the service refuses the body, and fails while it prints why; send finite numbers and whole characters'

/** The release of the framework that the training API behaves like. */
function frameworkOf({ host, engine }: RequestContext): FrameworkVersion {
  return host === 'training' ? engine.scenario.framework : DEFAULT_FRAMEWORK
}

/** How the scenario reads messages. The control API has none. */
function messageArraysOf({ host, engine }: RequestContext): MessageArrays | undefined {
  return host === 'control' ? undefined : engine.scenario.message_arrays
}

/** The query and the body of rows that declare none and refuse undeclared input. */
const NO_QUERY_TAKEN = parameters('query', {}, { extra: 'forbid' })
const NO_BODY_TAKEN = model('NoBody', {}, { extra: 'forbid' })
const NO_NAMES: readonly string[] = []

function jsonIn(
  context: RequestContext,
  { contentType }: InputRules,
): ReceivedJson | ApiError | Refusal {
  const { body, headers } = context.request
  if (body === 'too-large') return apiErrors.bodyTooLarge(BODY_LIMIT)
  const isAny = contentType === 'any'
  const read = readJsonBody(
    body,
    isAny ? undefined : contentTypeIn(frameworkOf(context), headers['content-type']),
  )
  if (read.kind === 'value') return read
  if (read.kind === 'absent') return NO_BODY
  const problems = read.kind === 'problem' ? [read.problem] : []
  if (isAny) return notJson(context, { problems, body })
  return read.kind === 'problem' ? new Refusal(problems) : apiErrors.unreadableBody()
}

/** Says what came instead of JSON: a form, for example, or a text with other quotes. */
function notJson(
  { request: { headers }, engine }: RequestContext,
  { problems, body }: { problems: readonly Problem[]; body: Uint8Array },
): ApiError {
  const why = inputHint(problems) ?? 'the body is not JSON'
  const sent = engine.journal.redactor.redact(new TextDecoder().decode(body.subarray(0, MOST_READ)))
  const begin = JSON.stringify(shortened(sent, MOST_QUOTED))
  const type = headers['content-type'] ?? 'no content type'
  return new ApiError(
    400,
    `${capitalize(why)}. It begins with ${begin} and was sent as ${type}. Send JSON and no form: {"name": "value"}.`,
  )
}

/** How many bytes of a body are searched for secrets, and how many characters an answer quotes. */
const MOST_READ = 2000
const MOST_QUOTED = 60

function repetition(name: string): Problem {
  const msg = 'given more than once; pass it once'
  return { type: 'repeated', loc: ['query', name], msg, input: null }
}
