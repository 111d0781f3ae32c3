import { CONTROL_REFUSALS } from '../../src/service/api/openapi.js'
import { controlOperations } from '../../src/compose/control-table.js'
import { controlExample } from './control-examples.js'
import { defaultOf, fieldRows, sectionsOf, wordsFor, type JsonSchema } from './json-schema.js'
import { block, code, linkTo, pageFrom, rowsFrom, table } from './markdown.js'
import { documentOf, referredBy, resolved, type Described, type Schemas } from './openapi.js'

const NOTES = rowsFrom('control-notes')

type Row = (typeof controlOperations)[number]

/** Describes each call of the control API, with what it takes and answers, and an example. */
export async function controlPage(): Promise<string> {
  const { paths, components } = documentOf(controlOperations, 'control')
  const objects = new Objects(components.schemas)
  const groups = rowsFrom('control-groups')
  const strange = controlOperations.find(
    (row) => ![...groups.keys()].some((each) => isOf(each, row)),
  )
  if (strange) throw new Error(`text/control-groups.md has no group for ${strange.path}.`)
  const sections: string[] = []
  for (const [group, heads] of groups) {
    const [title = '', intro = ''] = heads
    sections.push(`## ${title}`, intro)
    for (const row of controlOperations.filter((each) => isOf(group, each))) {
      const described = paths[row.path]?.[row.method.toLowerCase()] ?? {}
      sections.push(...(await sectionFor(row, described, objects)))
    }
  }
  return pageFrom('control', {
    statuses: table(
      ['status', 'meaning'],
      Object.entries(CONTROL_REFUSALS).map(([status, meaning]) => [code(status), meaning]),
    ),
    calls: table(
      ['call', 'what it does'],
      controlOperations.map((row) => [
        linkTo(headingOf(row), code(headingOf(row))),
        `${row.summary}.`,
      ]),
    ),
    sections,
    objects: objects.sections(),
  })
}

/** Whether the path of a call begins with one of the parts of a group. */
function isOf(group: string, { path }: Row): boolean {
  return group.split(', ').includes(path.split('/')[2]!)
}

function headingOf({ method, path }: Row): string {
  return `${method} ${path}`
}

async function sectionFor(row: Row, described: Described, objects: Objects): Promise<string[]> {
  const { parameters = [], requestBody, responses = {} } = described
  const query = parameters.map(({ name, in: place, required, schema }) => [
    code(name),
    place,
    objects.wordsFor(schema),
    required ? 'required' : defaultOf(schema),
    schema.description ?? NOTES.get(name)?.[0] ?? '',
  ])
  const body = requestBody?.content['application/json']?.schema
  const fields = body && row.id !== 'restoreSnapshot' ? objects.fieldsOf(body) : []
  const answer = Object.values(responses['200']?.content ?? {}).at(0)?.schema
  const returned = answer ? objects.wordsFor(answer) : 'any value'
  const statuses = Object.keys(responses).filter((status) => status !== '200')
  const { curl, response } = await controlExample(row)
  return [
    `### ${headingOf(row)}`,
    [`${row.summary}.`, ...(NOTES.get(row.id) ?? [])].join(' '),
    table(
      ['field', 'in', 'type', 'default', 'meaning'],
      [...query, ...fields.map(([name = '', ...others]) => [name, 'body', ...others])],
    ),
    [
      returned === 'any value' || returned === 'map' ? '' : `Returns ${returned}.`,
      statuses.length > 0 ? `Errors: ${statuses.map(code).join(', ')}.` : '',
    ]
      .filter((sentence) => sentence !== '')
      .join(' '),
    block('console', `$ ${curl}\n${response}`),
  ]
}

/** The objects that have their own sections. */
class Objects {
  readonly #schemas: Schemas
  readonly #used = new Set<string>()

  constructor(schemas: Schemas) {
    this.#schemas = schemas
  }

  wordsFor(schema: JsonSchema): string {
    const words = wordsFor(withoutNull(schema), (part) => {
      const name = referredBy(part)
      if (name === undefined) return undefined
      this.#used.add(name)
      return linkTo(`${name} object`, name)
    })
    return isNullable(schema) ? `${words}, or \`null\`` : words
  }

  fieldsOf(schema: JsonSchema): string[][] {
    return fieldRows(resolved(schema, this.#schemas), (part) => this.wordsFor(part))
  }

  sections(): string[] {
    return sectionsOf(this.#used.entries(), (name) => {
      const rows = this.fieldsOf(this.#schemas[name]!)
      const shown = rows.map(([key = '', type = '', , meaning = '']) => [key, type, meaning])
      return [`### ${name} object`, table(['field', 'type', 'meaning'], shown)]
    })
  }
}

function isNullable({ anyOf = [] }: JsonSchema): boolean {
  return anyOf.some(({ type }) => type === 'null')
}

function withoutNull(schema: JsonSchema): JsonSchema {
  if (!isNullable(schema)) return schema
  const left = schema.anyOf!.filter(({ type }) => type !== 'null')
  return left.length === 1 ? left.at(0)! : { ...schema, anyOf: left }
}
