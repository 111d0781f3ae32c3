import type { Draw } from '../../../support/draw.js'
import { calls, spoil } from '../bodies.js'
import { numberLike, scalar } from '../odd.js'
import {
  escaped,
  JSON_TYPE,
  KEY,
  request,
  type Family,
  type Headers,
  type Known,
} from '../request.js'
import { Leaf } from '../tree.js'

/** Methods, paths, queries and keys. */

const ID = '0d2f7a1e-5a6b-4c3d-8e9f-000000000001'

function routes({ model, job }: Known): readonly (readonly [method: string, path: string])[] {
  return [
    ['GET', '/v1/health'],
    ['GET', '/v1/system-check'],
    ['GET', '/v1/preview/base-models'],
    ['POST', '/v1/chat/completions'],
    ['POST', '/v1/chat/completions/'],
    ['POST', '/v1/preview/models'],
    ['DELETE', `/v1/preview/models/${ID}`],
    ['GET', `/v1/preview/models/${model}/checkpoints`],
    ['DELETE', `/v1/preview/models/${model}/checkpoints`],
    ['POST', `/v1/preview/models/${model}/log`],
    ['POST', '/v1/preview/training-jobs'],
    ['POST', '/v1/preview/sft-training-jobs'],
    ['GET', `/v1/preview/training-jobs/${job}`],
    ['GET', `/v1/preview/training-jobs/${job}/events`],
  ]
}

export const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'QUERY',
  'PURGE',
  'MKCOL',
  'LINK',
  'SEARCH',
  'NOTIFY',
]

/** Any method on any path. */
export const methods: Family = (draw, known) => {
  const [, path] = draw.oneOf(routes(known))
  const target = path + draw.oneOf(['', '', '', '/', '?limit=0', '?', '/?x=1'])
  const headers: Headers = draw.isHit(0.7) ? [KEY] : []
  const hasBody = draw.isHit(0.3)
  const body = draw.oneOf(['', '{', '{}', 'null', '[]'])
  return request({
    method: draw.oneOf(METHODS),
    target,
    headers: hasBody ? [...headers, JSON_TYPE] : headers,
    ...(hasBody && { body }),
  })
}

/** Paths that are nearly right. */
export const paths: Family = (draw, known) => {
  const [method, path] = draw.oneOf(routes(known))
  let target = path
  for (let left = 1 + draw.upTo(1); left > 0; left--) target = bent(target, draw)
  target += draw.oneOf(['', '', '', '?', '?limit=0', '?a=b', '?a?b', '??', '?%'])
  const body = method === 'GET' ? undefined : draw.oneOf(['{}', '{', 'null'])
  const headers: Headers = draw.isHit(0.85) ? [KEY, JSON_TYPE] : [JSON_TYPE]
  return request({ method, target, headers, ...(body !== undefined && { body }) })
}

function bent(path: string, draw: Draw): string {
  const at = 1 + draw.upTo(path.length - 1)
  const segments = path.split('/')
  const index = 1 + draw.upTo(segments.length - 2)
  const replaced = (segment: string): string => segments.with(index, segment).join('/')
  return draw.oneOf<() => string>([
    () => `${path}${'/'.repeat(1 + draw.upTo(3))}`,
    () => `${path}//`,
    () => `/${path}`,
    () => path.slice(0, at),
    () => `${path.slice(0, at)}/${path.slice(at)}`,
    () => `${path.slice(0, at)}${escapeOf(path[at] ?? 'x', draw)}${path.slice(at + 1)}`,
    () => path.slice(0, at) + draw.oneOf(ODD) + path.slice(at),
    () => path + draw.oneOf(ODD),
    () => replaced(draw.oneOf(ODD)),
    () => replaced(''),
    () => replaced(`${segments[index]}/..`),
    () => replaced(`./${segments[index]}`),
    () => replaced(segments[index]!.toUpperCase()),
    () => `${path}/${draw.oneOf(['x', 'checkpoints', 'events', 'log', ID])}`,
    () =>
      draw.oneOf(['/', '/v1', '/v1/', '/v2/health', '/v1/preview', '/v1/models', '/favicon.ico']),
  ])()
}

function escapeOf(character: string, draw: Draw): string {
  const code = character.charCodeAt(0).toString(16).padStart(2, '0')
  return `%${draw.isHit(0.5) ? code.toUpperCase() : code}`
}

/** What follows a percent sign: escapes, and what is none. */
const ESCAPES = ['', 'z', 'zz', '2', '2F', '2f', '00', '20', '0a', '25', 'C3%A9', 'c3%a9', 'ff']

const ODD = [
  ...[...ESCAPES, 'ED%A0%80', '3F', '23', '3b'].map((code) => `%${code}`),
  '+',
  ';',
  ';x=1',
  ...Array.from('~!$&\'()*,=:@[]{}|^"<>`\\'),
  '..',
  '.',
  '...',
  '%2e%2e',
  'é',
  'ÿ',
]

const NAMES = [
  'limit',
  'limit',
  'limit',
  'order',
  'order',
  'after',
  'Limit',
  'limit ',
  'x',
  '',
  'limit[]',
]
const ORDERS = [
  'asc',
  'desc',
  'ASC',
  'asc ',
  '',
  'up',
  'null',
  'asc,desc',
  '%61sc',
  'd%65sc',
  'a+sc',
]

/** Queries of the two lists. */
export const queries: Family = (draw, { model, job }) => {
  const path = draw.isHit(0.5) ? `models/${model}/checkpoints` : `training-jobs/${job}/events`
  const pairs = Array.from({ length: 1 + draw.upTo(3) }, () => {
    const name = draw.oneOf(NAMES)
    const written = draw.isHit(0.1) ? name.replace('i', '%69') : name.replaceAll(' ', '%20')
    return draw.isHit(0.05) ? written : `${written}=${queryValue(name, draw)}`
  })
  const target = `/v1/preview/${path}?${pairs.join(draw.oneOf(['&', '&', '&', '&&', ';']))}`
  return request({ method: draw.isHit(0.95) ? 'GET' : 'HEAD', target })
}

function queryValue(name: string, draw: Draw): string {
  if (name === 'order') return draw.oneOf(ORDERS)
  if (name === 'after' && draw.isHit(0.6)) return ''
  const odd = scalar(draw)
  const text = draw.oneOf<() => string>([
    () => String(draw.upTo(110)),
    () => numberLike(draw),
    () => (odd instanceof Leaf ? odd.source : ''),
    () =>
      draw.oneOf([
        '%',
        '%zz',
        '%C3',
        '%00',
        '%ff',
        '%ED%A0%80',
        '1%202',
        '%31%30',
        '+5',
        '%2B5',
        '5%20',
      ]),
  ])()
  if (text.startsWith('%') || text.includes('%20') || text.startsWith('+')) return text
  const written = escaped(text.slice(0, 6000))
  return draw.isHit(0.3) ? written.replaceAll('%20', '+') : written
}

const SCHEMES = [
  'Bearer',
  'Bearer',
  'Bearer',
  'bearer',
  'BEARER',
  'Basic',
  'Bear',
  'Bearer:',
  'Token',
  '',
]
const BETWEEN = [' ', ' ', ' ', '  ', '\t', ' \t', '\t ', '', '=', ' Bearer ']
const KEYS = [
  'k',
  'k',
  'k',
  '',
  ' ',
  'a b',
  'é',
  'k,',
  '"k"',
  'k\t',
  'eyJ.a.b',
  'x'.repeat(2000),
  'k '.repeat(3),
]

/** Who asks, and which of several problems is told first. */
export const keys: Family = (draw, known, index) => {
  const text = `${draw.oneOf(SCHEMES)}${draw.oneOf(BETWEEN)}${draw.oneOf(KEYS)}`
  const header = ['Authorization', text] as const
  const key = draw.oneOf<() => Headers>([
    () => [header],
    () => [header],
    () => [header],
    () => [],
    () => [header, KEY],
    () => [KEY, header],
    () => [['authorization', text]],
    () => [['Proxy-Authorization', text]],
    () => [['X-Api-Key', 'k']],
  ])()
  if (draw.isHit(0.4)) {
    const lists = routes(known).filter(([method, path]) => method === 'GET' && path.includes('s/'))
    const open = ['/v1/health', '/v1/system-check', '/v1/preview/base-models']
    const path = draw.isHit(0.2) ? draw.oneOf(open) : draw.oneOf(lists)[1]
    return request({
      method: 'GET',
      target: path + draw.oneOf(['', '?limit=0', '?order=x']),
      headers: key,
    })
  }
  const call = calls[draw.oneOf(Object.keys(calls))]!(draw, known, index)
  const body = draw.oneOf([call.body, spoil(call.body, draw), '{', '', '\u0000', '[]'])
  return request({ ...call, headers: [...key, ...(draw.isHit(0.9) ? [JSON_TYPE] : [])], body })
}
