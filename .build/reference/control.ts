import { CONTROL_REFUSALS } from '../../src/service/api/openapi.js'
import { controlOperations } from '../../src/compose/control-table.js'
import { controlExample } from './control-examples.js'
import { fieldRows, sectionsOf, wordsFor, type JsonSchema } from './json-schema.js'
import { block, code, linkTo, pageFrom, rowsFrom, table } from './markdown.js'
import {
  documentOf,
  errorsOfCall,
  fieldsOfCall,
  referredBy,
  type Described,
  type Schemas,
} from './openapi.js'

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
  const sent = row.id === 'restoreSnapshot' ? { ...described, requestBody: undefined } : described
  const fields = fieldsOfCall(sent, objects.schemas, (part) => objects.wordsFor(part)).map(
    (cells) => {
      const [note = ''] = NOTES.get(cells[0]!) ?? []
      return [...cells.slice(0, -1), cells.at(-1) === '' ? note : cells.at(-1)!]
    },
  )
  const answer = Object.values(described.responses?.['200']?.content ?? {}).at(0)?.schema
  const returned = answer ? objects.wordsFor(answer) : 'any value'
  const returns = returned === 'any value' || returned === 'map' ? '' : `Returns ${returned}. `
  const { curl, response } = await controlExample(row)
  return [
    `### ${headingOf(row)}`,
    [`${row.summary}.`, ...(NOTES.get(row.id) ?? [])].join(' '),
    table(['field', 'in', 'type', 'default', 'meaning'], fields),
    (returns + errorsOfCall(described, ['200'])).trim(),
    block('console', `$ ${curl}\n${response}`),
  ]
}

/** The objects that have their own sections. */
class Objects {
  readonly schemas: Schemas
  readonly #used = new Set<string>()

  constructor(schemas: Schemas) {
    this.schemas = schemas
  }

  wordsFor(schema: JsonSchema): string {
    return wordsFor(schema, (part) => {
      const name = referredBy(part)
      if (name === undefined) return undefined
      this.#used.add(name)
      return linkTo(`${name} object`, name)
    })
  }

  sections(): string[] {
    return sectionsOf(this.#used.entries(), (name) => {
      const rows = fieldRows(this.schemas[name]!, (part) => this.wordsFor(part))
      const shown = rows.map(([key = '', type = '', , meaning = '']) => [key, type, meaning])
      return [`### ${name} object`, table(['field', 'type', 'meaning'], shown)]
    })
  }
}
