import type { AnswerOf, BodyOf, Call, QueryOf, Route } from '../../emulator/control/client/call.js'
import { CONTROL_ROOT } from '../../emulator/control/control-path.js'
import { controlTable } from '../../emulator/control/table.js'
import {
  optional,
  required,
  type Fields,
  type Shape,
} from '../../service/contract/pydantic/fields.js'
import { string } from '../../service/contract/pydantic/scalars.js'
import { idFields, kindsIn, meantId, type Kind } from './ids.js'
import { linesText, paged } from './paged.js'
import { CHANGES, ENDS, pageField, READS, tool, type Effects, type Tool } from './tool.js'

/** What makes a row of the control API a tool. */
interface Mark<R extends Route> {
  readonly name: string
  /** Default: the summary of the row. */
  readonly description?: string
  /** Default: as the method says. */
  readonly annotations?: Effects
  /** The fields of the row that a tool has not as arguments, each with the value that is sent. */
  readonly fixed?: { readonly [Field in keyof QueryOf<R> | keyof BodyOf<R>]?: unknown }
  /** The row that is called if no field of the body is given, and takes none. */
  readonly otherwise?: Route
  /** The argument that is the whole body of a row without fields of its own, and what it is. */
  readonly body?: readonly [argument: string, description: string]
  /** Makes the lines of the result: those of a record, or one for each record. */
  readonly lines: (answer: AnswerOf<R>) => readonly string[]
  /** The result if there are no lines. */
  readonly none?: string
  /** A result with pages and a filter. `end`: the last lines are on page 1. */
  readonly pages?: 'start' | 'end'
  /** The lines are in sections, each with a heading and indented lines. Those whose heading begins so are on page 1. */
  readonly head?: string
}

/** The arguments of all tools whose results have pages. */
const pageFields = {
  filter: optional(string, { description: 'Words that each line must have.' }),
  page: pageField,
}

type Arguments = Readonly<Record<string, unknown>>

/** Makes a tool that calls a row of the control API. Its arguments are those of the row. */
export function rowTool<const R extends Route>(route: R, mark: Mark<R>): Tool {
  const { name, fixed = {}, otherwise, body: whole, none = '', pages, head } = mark
  const row = rowOf(route)
  const kinds = kindsIn(row.path)
  const query = fieldsOf(row.query)
  const body = fieldsOf(row.body)
  const own = Object.entries({ ...query, ...body }).filter(([field]) => !(field in fixed))
  return tool({
    name,
    description: mark.description ?? `${row.summary}.`,
    input: {
      ...idFields(kinds),
      ...Object.fromEntries(own),
      ...(whole && row.body && { [whole[0]]: required(row.body, { description: whole[1] }) }),
      ...(pages && pageFields),
    },
    annotations: mark.annotations ?? EFFECTS[row.method],
    calls: [route, ...(otherwise ? [otherwise] : [])],
    async run(args: Arguments, { call }) {
      const given = { ...args, ...fixed }
      const params = await paramsOf(kinds, args, call)
      const parts = { params, query: picked(given, query) }
      const fields = picked(given, body)
      const isEmpty = Object.values(fields).every((value) => value === undefined)
      const send = call as LooseCall
      const answer =
        otherwise && isEmpty
          ? await send(otherwise, parts)
          : await send(route, {
              ...parts,
              ...(row.body && { body: whole ? args[whole[0]] : fields }),
            })
      const lines = mark.lines(answer as AnswerOf<R>)
      if (pages === undefined) return linesText(lines) || none
      return paged(lines, { from: pages, none, head, ...(args as PageArguments) })
    },
  })
}

const EFFECTS = { GET: READS, POST: CHANGES, PUT: CHANGES, DELETE: ENDS } as const

/** A call whose route is not known before. */
type LooseCall = (route: string, sent: object) => Promise<unknown>

/** What the schema of a tool with pages has checked. */
type PageArguments = Shape<typeof pageFields>

const rows = new Map(
  controlTable<never>([]).map((row) => [
    `${row.method} ${row.path.replace(CONTROL_ROOT, '')}`,
    row,
  ]),
)

/** @throws {Error} When the control API has no such row. */
function rowOf(route: Route) {
  const row = rows.get(route)
  if (row) return row
  throw new Error(`The control API has no ${route}.`)
}

/** The parameters of the path, with whole ids. */
async function paramsOf(
  kinds: readonly Kind[],
  args: Arguments,
  call: Call,
): Promise<Record<string, string>> {
  const params: Record<string, string> = {}
  for (const kind of kinds) params[`${kind}_id`] = await meantId(call, kind, args[kind])
  return params
}

function fieldsOf(part: object = {}): Fields {
  return 'fields' in part ? (part.fields as Fields) : {}
}

function picked(given: Arguments, fields: Fields): Arguments {
  return Object.fromEntries(Object.entries(given).filter(([name]) => name in fields))
}
