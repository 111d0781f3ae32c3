import type { JsonSchema } from '../../../src/service/contract/pydantic/schema.js'
import { documentedRefusals } from './documented-refusals.js'
import { Draw } from '../../support/draw.js'
import { ValueMaker } from './from-schema.js'
import { anyValue, bodyText, numberText, UUID } from './odd-values.js'
import { JSON_TYPE, KEY, type Categories, type GeneratedRequest, type Recipe } from './recipe.js'

interface Documented {
  paths: Record<string, Record<string, { requestBody?: JsonSchema }>>
  components: { schemas: Record<string, JsonSchema> }
}

/** 20,000 requests, the same for the same seed. */
export function generateRequests(document: JsonSchema, seed: number): GeneratedRequest[] {
  return Object.entries(categories(document)).flatMap(([category, { count, recipe }]) =>
    Array.from({ length: count }, (_, index) => ({
      category,
      ...recipe(new Draw(seed, `${category} ${index}`)),
    })),
  )
}

/** By name: of one operation or kind each. */
export function categories(document: JsonSchema): Categories {
  return {
    ...bodies(document as unknown as Documented),
    ...queries,
    ...withoutBody,
    ...documentedRefusals,
    'keys and fields': { count: 400, recipe: keyed },
    'content types': { count: 300, recipe: typed },
    encodings: { count: 300, recipe: encoded },
    'JSON texts': { count: 600, recipe: jsonText },
  }
}

/** How many requests each operation with a body gets, and how often one of its values is wrong. */
const BODIES: readonly (readonly [operation: string, count: number, wrongness: number])[] = [
  ['post /v1/chat/completions', 800, 0.3],
  ['post /v1/chat/completions/', 400, 0.3],
  ['post /v1/preview/models', 1700, 0.3],
  ['delete /v1/preview/models/{model_id}/checkpoints', 1300, 0.4],
  ['post /v1/preview/models/{model_id}/log', 2780, 0.08],
  ['post /v1/preview/training-jobs', 2780, 0.08],
  ['post /v1/preview/sft-training-jobs', 1500, 0.3],
]

function bodies({ paths, components }: Documented): Categories {
  return Object.fromEntries(
    BODIES.map(([operation, count, wrongness]) => {
      const [method, path] = operation.split(' ') as [string, string]
      const { content } = paths[path]![method]!.requestBody as {
        content: { 'application/json': { schema: JsonSchema } }
      }
      const recipe: Recipe = (draw) => {
        const rate = draw.oneOf([wrongness / 2, wrongness, wrongness * 1.5])
        const maker = new ValueMaker(components.schemas, draw, rate)
        return {
          method: method.toUpperCase(),
          path: path.replace(/{\w+}/, UUID),
          headers: JSON_TYPE,
          body: bodyText(maker.make(content['application/json'].schema)),
        }
      }
      return [`body of ${method.toUpperCase()} ${path}`, { count, recipe }]
    }),
  )
}

const CHECKPOINTS = `/v1/preview/models/${UUID}/checkpoints`
const EVENTS = `/v1/preview/training-jobs/${UUID}/events`

const queries: Categories = {
  'query of checkpoints': { count: 900, recipe: (draw) => queried(CHECKPOINTS, draw) },
  'query of events': { count: 700, recipe: (draw) => queried(EVENTS, draw) },
}

/** Up to four query keys. Some are repeated, some are unknown. */
function queried(path: string, draw: Draw): ReturnType<Recipe> {
  const parts = Array.from({ length: 1 + draw.upTo(3) }, () => {
    const key = draw.oneOf(['limit', 'limit', 'limit', 'order', 'order', 'after', 'Limit', 'x'])
    if (draw.isHit(0.05)) return key
    return `${key}=${escaped(queryValue(key, draw), draw)}`
  })
  return { method: 'GET', path: `${path}?${parts.join('&')}`, headers: KEY }
}

function queryValue(key: string, draw: Draw): string {
  if (key === 'order')
    return draw.oneOf(['asc', 'desc', 'up', '', 'ASC', ' asc', 'desc ', 'é', '1'])
  if (key === 'limit') {
    const fixed = [
      '0',
      '101',
      '-1',
      '',
      'abc',
      '1',
      '100',
      '5.0',
      '5.5',
      'true',
      'null',
      '٥',
      '1e2',
    ]
    return draw.isHit(0.5) ? draw.oneOf(fixed) : numberText(draw)
  }
  return draw.text('abé 漢&=+%', draw.upTo(6))
}

/** Escapes a text in one of the ways of real clients. */
function escaped(value: string, draw: Draw): string {
  const text = encodeURIComponent(value)
  return draw.isHit(0.3) ? text.replaceAll('%20', '+') : text
}

const KINDS_WITH_KEY = ['good', 'key', 'key', 'key', 'slash', 'method'] as const
const KINDS_WITHOUT = ['good', 'good', 'good', 'slash', 'method'] as const

/** Nothing about them can be wrong but who asks, and how. */
const withoutBody: Categories = Object.fromEntries(
  (
    [
      ['DELETE', `/v1/preview/models/${UUID}`, true],
      ['GET', `/v1/preview/training-jobs/${UUID}`, true],
      ['GET', '/v1/health', false],
      ['GET', '/v1/system-check', false],
      ['GET', '/v1/preview/base-models', false],
    ] as const
  ).map(([method, path, isClosed]) => {
    const recipe: Recipe = (draw) => {
      const kind = draw.oneOf(isClosed ? KINDS_WITH_KEY : KINDS_WITHOUT)
      const other = draw.oneOf(['PUT', 'PATCH', 'POST', 'OPTIONS', 'HEAD'])
      return {
        method: kind === 'method' ? other : method,
        path: `${path}${kind === 'slash' ? draw.oneOf(['/', '/', '//', '///']) : ''}${draw.isHit(0.3) ? '?limit=0' : ''}`,
        headers: kind === 'key' || !isClosed ? wrongKey(draw) : KEY,
        ...(draw.isHit(0.1) && { body: '{' }),
      }
    }
    return [`${method} ${path}`, { count: isClosed ? 330 : 380, recipe }]
  }),
)

function wrongKey(draw: Draw): Record<string, string> {
  const authorization = draw.oneOf([
    undefined,
    'Bearer',
    'Bearer ',
    'Basic eDp5',
    'k',
    '',
    'Token k',
  ])
  return authorization === undefined ? {} : { authorization }
}

const MODEL = { project: 'p', name: 'n', base_model: 'b' }

/**
 * Requests with several problems: a missing key, broken JSON, invalid fields. They show which one
 * is reported first.
 */
function keyed(draw: Draw): ReturnType<Recipe> {
  const key = draw.isHit(0.6)
    ? wrongKey(draw)
    : { authorization: draw.oneOf(['bearer k', 'BEARER k', 'Bearer  k']) }
  const type = { 'content-type': 'application/json' }
  if (draw.isHit(0.3)) {
    return { method: 'GET', path: `${CHECKPOINTS}?limit=0`, headers: key }
  }
  const body = draw.oneOf(['{', '', '[]', '{}', JSON.stringify(MODEL), '\uFEFF{}', 'nul'])
  return { method: 'POST', path: '/v1/preview/models', headers: { ...key, ...type }, body }
}

function typed(draw: Draw): ReturnType<Recipe> {
  const main = draw.oneOf([
    'application',
    'application',
    'text',
    'Application',
    '',
    '*',
    'multipart',
  ])
  const sub = draw.oneOf(['json', 'JSON', 'x+json', '+json', 'jsonx', 'plain', 'xml', '', 'json/x'])
  const more = draw.oneOf(['', '', '; charset=utf-8', ';', ' ; x=y', ', text/plain'])
  const body = draw.oneOf(['{}', '[]', '{"project": 1}', 'nul', '"text"', '{"é":'])
  return {
    method: 'POST',
    path: '/v1/preview/models',
    headers: { ...KEY, 'content-type': `${main}/${sub}${more}` },
    body,
  }
}

function encoded(draw: Draw): ReturnType<Recipe> {
  const text = draw.oneOf(['{}', '[]', '{"project":"é😀"}', '{"é": x}', '{"name":"漢",}', '"x"'])
  const bytes = draw.oneOf<() => Buffer>([
    () => Buffer.from(`\uFEFF${text}`),
    () => Buffer.from(text, 'utf16le'),
    () => Buffer.from(`\uFEFF${text}`, 'utf16le'),
    () => Buffer.from(text, 'utf16le').swap16(),
    () => Buffer.from(text, 'latin1'),
    () => Buffer.concat([Buffer.from(text), Buffer.from([0x80 + draw.upTo(0x7f)])]),
    () => Buffer.concat([Buffer.from(text), Buffer.from([0])]),
  ])()
  return {
    method: 'POST',
    path: '/v1/preview/models',
    headers: JSON_TYPE,
    base64: bytes.toString('base64'),
  }
}

/** A JSON document with a few characters too many, too few, or others. */
function jsonText(draw: Draw): ReturnType<Recipe> {
  const value = { project: 'p', base_model: anyValue(draw), x: anyValue(draw) }
  let body = bodyText(value)
  if (draw.isHit(0.3)) body = JSON.stringify(value, null, 1 + draw.upTo(2))
  for (let edits = 1 + draw.upTo(2); edits > 0; edits--) {
    const at = draw.upTo(body.length)
    const put = draw.oneOf(['', draw.text('{}[]",:\\ue01-.+tn \n\té', 1 + draw.upTo(1))])
    body = body.slice(0, at) + put + body.slice(at + draw.upTo(2))
  }
  const cut = draw.isHit(0.2) ? body.slice(0, draw.upTo(body.length)) : body
  // Half a character cannot be sent.
  return {
    method: 'POST',
    path: '/v1/preview/models',
    headers: JSON_TYPE,
    body: Buffer.from(cut).toString(),
  }
}
