import { anything } from '../../../service/contract/pydantic/anything.js'
import { dictionary } from '../../../service/contract/pydantic/dictionary.js'
import { optional, required } from '../../../service/contract/pydantic/fields.js'
import { string } from '../../../service/contract/pydantic/string.js'
import type { ControlFault } from '../../../emulator/control/schemas.js'
import { counted } from '../../../base/text/counted.js'
import { cut, paged } from '../paged.js'
import { ADDS, ENDS, pageField, READS, tool } from '../tool.js'

const addFault = tool({
  name: 'add_fault',
  title: 'Add fault',
  description:
    'Adds a fault, written as in a scenario: a call fails, is slow, hangs, or gets a changed answer. read_docs "faults" lists all kinds.',
  input: {
    fault: required(dictionary(anything), {
      description:
        'The fault as an object, such as {"fault": "status", "status": 503, "calls": 2, "match": {"operation": "createModel"}}.',
    }),
  },
  annotations: ADDS,
  async run({ fault }, { call }) {
    return `Added ${faultLine(await call('POST /faults', { body: fault }))}`
  },
})

const listFaults = tool({
  name: 'list_faults',
  title: 'List faults',
  description: 'Lists the faults of the scenario and those that were added, with their hits.',
  input: { page: pageField },
  annotations: READS,
  async run({ page }, { call }) {
    const { faults } = await call('GET /faults')
    return paged(faults.map(faultLine), { page, none: 'There are no faults.' })
  },
})

const removeFaults = tool({
  name: 'remove_faults',
  title: 'Remove faults',
  description:
    'Removes one fault that was added, or all of them. Faults of the scenario stay: start another scenario instead.',
  input: { fault: optional(string, { description: 'The id of the fault. By default, all.' }) },
  annotations: ENDS,
  async run({ fault }, { call }) {
    const { faults } =
      fault === undefined
        ? await call('DELETE /faults')
        : await call('DELETE /faults/{fault_id}', { params: { fault_id: fault } })
    const left = faults.map(faultLine)
    return paged(left, { page: 1, head: 'Removed. These are left:', none: 'None.' })
  },
})

function faultLine({ id, fault, name, open, hits, rule }: ControlFault): string {
  const called = name === undefined ? '' : ` "${name}"`
  const match = rule['match'] ? ` on ${JSON.stringify(rule['match'])}` : ''
  return `fault ${id}: ${fault}${called}${cut(match, 200)}, ${open ? 'open' : 'closed'}, ${counted(hits, 'hit')}`
}

export const faultTools = [addFault, listFaults, removeFaults]
