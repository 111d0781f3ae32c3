import { didYouMean } from '../../base/text/nearest.js'
import type { Call } from '../../emulator/control/client/call.js'
import { optional, type Fields } from '../../service/contract/pydantic/fields.js'
import { integer } from '../../service/contract/pydantic/integer.js'
import { string } from '../../service/contract/pydantic/string.js'
import { cut } from './paged.js'
import { ToolError } from './tool.js'

/** An id as an assistant writes it. */
export type Id = string | number

/** A kind of records that have ids. */
export type Kind = 'job' | 'request' | 'delivery' | 'fault'

interface List {
  readonly tool: string
  /** The ids, the newest first. */
  readonly idsOf: (call: Call) => Promise<readonly { readonly id: Id }[]>
}

/** The tools that list the records of a kind. */
const LISTS: Readonly<Record<Kind, List>> = {
  job: { tool: 'list_jobs', idsOf: async (call) => (await call('GET /jobs')).jobs },
  fault: { tool: 'list_faults', idsOf: async (call) => (await call('GET /faults')).faults },
  request: {
    tool: 'list_requests',
    // The number of a request is never cut short, so only the newest one is looked for.
    idsOf: async (call) => (await call('GET /requests', { query: { limit: 1 } })).requests,
  },
  delivery: {
    tool: 'list_deliveries',
    idsOf: async (call) => {
      return (await call('GET /deliveries', { query: { limit: 20_000 } })).deliveries.toReversed()
    },
  },
}

/** The arguments that name one record of each kind. */
export function idFields(kinds: readonly Kind[]): Fields {
  const fields = kinds.map((kind) => {
    const isNumber = kind === 'request'
    const which = `An id of ${LISTS[kind].tool}${isNumber ? '' : ', or its beginning'}.`
    const description = `${which} By default, the newest.`
    return [kind, optional<unknown>(isNumber ? integer : string, { description })]
  })
  return Object.fromEntries(fields) as Fields
}

/**
 * Returns the id that an argument means: that id, the only one that begins like that, or without an argument that of
 * the newest record.
 *
 * @throws {ToolError} When there is no such record.
 */
export async function meantId(call: Call, kind: Kind, given: Id | undefined): Promise<string> {
  if (kind === 'request' && given !== undefined) return String(given)
  const { tool, idsOf } = LISTS[kind]
  const ids = (await idsOf(call)).map(({ id }) => String(id))
  if (given === undefined) {
    if (ids[0] === undefined) throw new ToolError(`There is no ${kind} yet.`)
    return ids[0]
  }
  const written = String(given).toLowerCase()
  if (ids.includes(written)) return written
  const begun = written === '' ? [] : ids.filter((id) => id.startsWith(written))
  if (begun.length === 1) return begun[0]!
  if (begun.length > 1) {
    throw new ToolError(`${kind}: ${begun.length} ids begin with "${cut(written, 80)}".`)
  }
  const hint = didYouMean(written, ids)
  throw new ToolError(`${kind}: there is no "${cut(written, 80)}".${hint} ${tool} lists them.`)
}
