import type { Operation } from '../../src/service/api/operation.js'
import { variationsOf, type VariationKind } from '../../src/service/contract/variations.js'
import { operations } from '../../src/compose/control-table.js'
import { wordsFor, type JsonSchema } from './json-schema.js'
import {
  documentOf,
  errorsOfCall,
  fieldsOfCall,
  resolved,
  type Described,
  type Schemas,
} from './openapi.js'
import { code, linkTo, pageFrom, rowsFrom, table } from './markdown.js'

/** Describes the operations of the emulated APIs. */
export function operationsPage(): string {
  const served = operations.filter(({ host }) => host !== 'control')
  const effects = rowsFrom('operation-effects')
  const surplus = [...effects.keys()].filter((id) => !served.some((row) => row.id === id))
  if (surplus.length > 0) throw new Error(`There are no operations ${surplus.join(', ')}.`)
  const sectionsOf = (host: 'training' | 'inference'): string[] => {
    const { paths, components } = documentOf(operations, host)
    return served
      .filter((row) => row.host === host)
      .flatMap((row) => {
        const [effect] = effects.get(row.id) ?? []
        if (effect === undefined) throw new Error(`text/operation-effects.md misses ${row.id}.`)
        const described = paths[row.path]?.[row.method.toLowerCase()] ?? {}
        return sectionFor(row, effect, { described, schemas: components.schemas })
      })
  }
  return pageFrom('operations', {
    operations: table(
      ['id', 'host', 'operation'],
      served.map(({ id, host, method, path }) => [
        linkTo(id, code(id)),
        host,
        code(`${method} ${path}`),
      ]),
    ),
    training: sectionsOf('training'),
    inference: sectionsOf('inference'),
  })
}

function sectionFor(
  row: Operation,
  effect: string,
  { described, schemas }: { described: Described; schemas: Schemas },
): string[] {
  const { id, method, path, auth } = row
  const wordsOf = (value: JsonSchema): string => {
    return wordsFor(value, ({ $ref }) => $ref && wordsForObject($ref, schemas))
  }
  const fields = fieldsOfCall(described, schemas, wordsOf).map((cells) => cells.slice(0, 4))
  return [
    `### ${id}`,
    `\`${method} ${path}\``,
    effect,
    ACCESS[auth] ?? '',
    table(['field', 'in', 'type', 'default'], fields),
    errorsOfCall(described, ['200', '405', '429']),
    variationsText(row),
  ]
}

/** Says which fields of an answer may differ. Any object may have unknown fields. */
function variationsText({ response }: Operation): string {
  const variations = variationsOf(response)
  const named = (kind: VariationKind): string =>
    variations.flatMap((each) => (each.kind === kind ? code(each.path) : [])).join(', ')
  const parts = [
    ['may be absent', named('absent')],
    ['may be null', named('null')],
    ['may be anything, or absent', named('any')],
  ].flatMap(([may, paths]) => (paths === '' ? [] : `${paths} ${may}`))
  return parts.length === 0 ? '' : `In an answer, ${parts.join('; ')}.`
}

const ACCESS: Readonly<Record<string, string | undefined>> = {
  open: 'It needs no key.',
  platform: 'The key may also be the password of `Authorization: Basic`, with any name.',
  health: 'It needs a key, unless `auth.open` of the scenario lists `health`.',
  'system-check': 'It needs a key, unless `auth.open` of the scenario lists `system-check`.',
}

/** The OpenAPI document has the details of objects. */
function wordsForObject($ref: string, schemas: Schemas): string {
  const schema = resolved({ $ref }, schemas)
  return schema.properties ? 'map' : wordsFor(schema, (part) => (part.$ref ? 'map' : undefined))
}
