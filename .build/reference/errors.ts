import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError } from '../../src/service/contract/errors.js'
import { defaultMessage } from '../../src/service/contract/default-messages.js'
import { filesIn, root } from '../stamp.js'
import { block, code, pageFrom, rowsFrom, table } from './markdown.js'

const CLASS = /export class (?<name>\w+) extends \w*Error \{(?<body>(?:(?!^\}$)[^])*)/gm
const CODES = /readonly code(?:: | = )(?<codes>[^=\n]*(?:SVTRAIN_)[^\n]*)/

/** Lists the error classes with their codes, and the errors of the emulated API. */
export function errorsPage(): string {
  const found = codesInSources()
  const explained = rowsFrom('error-codes')
  const odd = [...found.keys(), ...explained.keys()].filter(
    (each) => !found.has(each) || !explained.has(each),
  )
  if (odd.length > 0) {
    throw new Error(`Either the sources or text/error-codes.md do not have ${odd.join(', ')}.`)
  }
  const rows = [...found].sort(([one], [other]) => (one < other ? -1 : 1))
  const notFound = new ApiError(404, 'The model `poet` does not exist.', { param: 'model' })
  return pageFrom('errors', {
    codes: table(
      ['code', 'class', 'when it happens', 'what to do'],
      rows.map(([name, owner]) => [code(`SVTRAIN_${name}`), code(owner), ...explained.get(name)!]),
    ),
    body: block('json', JSON.stringify(notFound.bodyFor('inference'), null, 2)),
    statuses: table(
      ['status', 'message on the training host', 'message on the inference host', '`type`'],
      STATUSES.map((status) => [
        code(String(status)),
        defaultMessage(status, 'training'),
        defaultMessage(status, 'inference'),
        code(typeOf(status)),
      ]),
    ),
  })
}

const STATUSES = [400, 401, 402, 403, 404, 405, 408, 409, 413, 429, 500, 502, 503, 504, 524]

function typeOf(status: number): string {
  const body = new ApiError(status, '').bodyFor('inference') as { error: { type: string } }
  return body.error.type
}

/** Finds the codes without their prefix, each with its class. */
function codesInSources(): Map<string, string> {
  const found = new Map<string, string>()
  for (const text of sources()) {
    for (const { groups } of text.matchAll(CLASS)) {
      const { name = '', body = '' } = groups ?? {}
      for (const each of codesIn(CODES.exec(body)?.groups?.['codes'] ?? '')) found.set(each, name)
    }
  }
  return found
}

/** Reads the codes of a type: `'SVTRAIN_A' | 'SVTRAIN_B'`, or a template with alternatives. */
function codesIn(type: string): string[] {
  const [, prefix = '', alternatives = ''] = /`SVTRAIN_(\w*)\$\{(.*)\}`/.exec(type) ?? []
  if (alternatives !== '') {
    return Array.from(alternatives.matchAll(/'(\w+)'/g), ([, name = '']) => prefix + name)
  }
  return Array.from(type.matchAll(/'SVTRAIN_(\w+)'/g), ([, name = '']) => name)
}

function sources(): string[] {
  const files = filesIn(join(root, 'src')).filter((file) => file.endsWith('.ts'))
  return files.sort().map((file) => readFileSync(file, 'utf8'))
}
