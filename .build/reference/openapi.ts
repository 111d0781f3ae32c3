import { describeApi } from '../../src/service/api/openapi.js'
import { defaultOf, fieldRows, type JsonSchema } from './json-schema.js'
import { code } from './markdown.js'

interface Content {
  readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>
}

export type Schemas = Readonly<Record<string, JsonSchema>>

/** What an OpenAPI document says about a call. */
export interface Described {
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: JsonSchema
  }[]
  readonly requestBody?: Content | undefined
  readonly responses?: Readonly<Record<string, Content | undefined>>
}

/** The parts of an OpenAPI document that pages show. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Schemas }
}

/** Describes the calls of a host. */
export function documentOf(...api: Parameters<typeof describeApi>): Document {
  return describeApi(...api) as unknown as Document
}

/** The name of the schema that a schema refers to. */
export function referredBy({ $ref }: JsonSchema): string | undefined {
  return $ref?.split('/').at(-1)
}

/** The schema that a schema refers to, or the schema itself. */
export function resolved(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = referredBy(schema)
  return name === undefined ? schema : (schemas[name] ?? {})
}

/** Returns a row for each field that a call takes: its name, place, type, default and meaning. */
export function fieldsOfCall(
  { parameters = [], requestBody }: Described,
  schemas: Schemas,
  wordsOf: (schema: JsonSchema) => string,
): string[][] {
  const body = requestBody?.content['application/json']?.schema
  const fields = body ? fieldRows(resolved(body, schemas), wordsOf) : []
  return [
    ...parameters.map(({ name, in: place, required, schema }) => [
      code(name),
      place,
      wordsOf(schema),
      required ? 'required' : defaultOf(schema),
      schema.description ?? '',
    ]),
    ...fields.map(([name = '', ...others]) => [name, 'body', ...others]),
  ]
}

/** Says with which statuses a call can fail. */
export function errorsOfCall({ responses = {} }: Described, except: readonly string[]): string {
  const statuses = Object.keys(responses).filter((status) => !except.includes(status))
  return statuses.length > 0 ? `Errors: ${statuses.map(code).join(', ')}.` : ''
}
