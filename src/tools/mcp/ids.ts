import type { Call } from '../../emulator/control/client/call.js'
import { optional, type Fields } from '../../service/contract/pydantic/fields.js'
import { integer } from '../../service/contract/pydantic/integer.js'
import { string } from '../../service/contract/pydantic/scalars.js'
import { ADDED } from '../../service/engine/faults/fault-names.js'
import { ToolError } from './tool.js'

/** An id as an assistant writes it. */
type Id = string | number

/** A kind of records that have ids. */
export type Kind = 'job' | 'request' | 'delivery' | 'fault'

interface List {
  readonly tool: string
  readonly newest: (call: Call) => Promise<{ readonly id: Id } | undefined>
}

/** The tools that list the records of a kind, and how to read the newest. */
const LISTS: Readonly<Record<Kind, List>> = {
  job: { tool: 'list_jobs', newest: async (call) => (await call('GET /jobs')).jobs[0] },
  fault: {
    tool: 'list_faults',
    // Those of the scenario come first, and nothing can remove them.
    newest: async (call) => {
      const { faults } = await call('GET /faults')
      return faults.find(({ id }) => id.startsWith(ADDED)) ?? faults[0]
    },
  },
  request: {
    tool: 'list_requests',
    newest: async (call) => (await call('GET /requests', { query: { limit: 1 } })).requests[0],
  },
  delivery: {
    tool: 'list_deliveries',
    newest: async (call) => (await call('GET /deliveries', { query: { limit: 1 } })).deliveries[0],
  },
}

/** The kinds of the records that the path of a row names, such as `job` for `/jobs/{job_id}`. */
export function kindsIn(path: string): Kind[] {
  const kinds = Object.keys(LISTS) as Kind[]
  return kinds.filter((kind) => path.includes(`{${kind}_id}`))
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
 * Returns the id that an argument means: without an argument, that of the newest record. The control API completes one
 * that is cut short.
 *
 * @throws {ToolError} When there is no record yet, or the argument is empty.
 */
export async function meantId(call: Call, kind: Kind, given: unknown): Promise<string> {
  const { tool, newest } = LISTS[kind]
  if (given === '') throw new ToolError(`${kind}: it is empty. ${tool} lists the ids.`)
  // The schema of the tool has checked it.
  const id = (given as Id | undefined) ?? (await newest(call))?.id
  if (id === undefined) throw new ToolError(`There is no ${kind} yet.`)
  return String(id)
}
