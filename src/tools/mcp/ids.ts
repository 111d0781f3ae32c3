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

/** The tools that list the records of a kind. */
const LISTS: Readonly<Record<Kind, string>> = {
  job: 'list_jobs',
  request: 'list_requests',
  delivery: 'list_deliveries',
  fault: 'list_faults',
}

/** The arguments that name one record of each kind. */
export function idFields(kinds: readonly Kind[]): Fields {
  const fields = kinds.map((kind) => {
    const isNumber = kind === 'request'
    const which = `An id of ${LISTS[kind]}${isNumber ? '' : ', or its beginning'}.`
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
  // The number of a request is never cut short.
  if (kind === 'request' && given !== undefined) return String(given)
  const ids = await newestIds(call, kind)
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
  throw new ToolError(
    `${kind}: there is no "${cut(written, 80)}".${hint} ${LISTS[kind]} lists them.`,
  )
}

async function newestIds(call: Call, kind: Kind): Promise<string[]> {
  switch (kind) {
    case 'job':
      return (await call('GET /jobs')).jobs.map(({ id }) => id)
    case 'fault':
      return (await call('GET /faults')).faults.map(({ id }) => id)
    case 'request': {
      const { requests } = await call('GET /requests', { query: { limit: 1 } })
      return requests.map(({ id }) => `${id}`)
    }
    case 'delivery': {
      const { deliveries } = await call('GET /deliveries', { query: { limit: 20_000 } })
      return deliveries.map(({ id }) => id).toReversed()
    }
  }
}
