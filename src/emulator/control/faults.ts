import {
  faultPath,
  faultRequest,
  faults,
  MOST_REQUESTS,
  oneFault,
  type ControlFault,
} from './schemas/faults.js'
import { ApiError } from '../../service/contract/errors.js'
import type { Engine } from '../../service/engine/engine.js'
import type { JournalEntry } from '../../service/engine/journal.js'
import { milliseconds } from '../../base/text/duration.js'
import { toIso } from '../../base/text/iso.js'
import type { LiveFault } from '../../service/engine/faults/live-fault.js'
import type { FaultInput } from '../../service/scenario/scenario.js'
import { faultCalled } from './called.js'
import { control } from './row.js'
import { shownFault } from '../../service/scenario/shown.js'

const listFaults = control({
  id: 'listFaults',
  method: 'GET',
  path: '/_emulator/faults',
  summary: 'The faults: those of the scenario and those you added',
  response: faults,
  run: ({ engine }) => allOf(engine),
})

const addFault = control({
  id: 'addFault',
  method: 'POST',
  path: '/_emulator/faults',
  summary: 'Adds a fault in scenario form; it goes before all others',
  body: faultRequest,
  response: oneFault,
  async run({ emulator: world, body }) {
    const checks = await world.checks.load()
    const rule = checks.fault(body as FaultInput)
    // Read now: a reset may have replaced the engine while the fault was checked.
    const { engine } = world
    const fault = engine.faults.add(rule)
    engine.journal.note(`control: fault "${fault.name}" (${rule.fault})`)
    return faultState(fault, engine)
  },
})

const removeFault = control({
  id: 'removeFault',
  method: 'DELETE',
  path: '/_emulator/faults/{fault_id}',
  summary: 'Removes an added fault; a fault of the scenario can only be closed',
  refusals: [409],
  params: faultPath,
  response: faults,
  run({ emulator: world, engine, params }) {
    const fault = faultCalled(world, params.fault_id)
    if (!engine.faults.remove((each) => each === fault)) {
      return new ApiError(409, `Fault ${fault.id} is part of the scenario; close it instead.`)
    }
    engine.journal.note(`control: fault "${fault.name}" removed`)
    return allOf(engine)
  },
})

const clearFaults = control({
  id: 'clearFaults',
  method: 'DELETE',
  path: '/_emulator/faults',
  summary: 'Removes all added faults; those of the scenario stay',
  response: faults,
  run({ engine }) {
    if (engine.faults.remove(() => true)) engine.journal.note('control: faults removed')
    return allOf(engine)
  },
})

function switchRow<const Verb extends 'open' | 'close'>(verb: Verb, summary: string) {
  return control({
    id: `${verb}Fault` as const,
    method: 'POST',
    path: `/_emulator/faults/{fault_id}/${verb}` as const,
    summary,
    params: faultPath,
    response: oneFault,
    run({ emulator: world, engine, params }) {
      const fault = faultCalled(world, params.fault_id)
      fault.open = verb === 'open'
      engine.journal.note(`control: fault "${fault.name}" is ${fault.open ? 'open' : 'closed'}`)
      return faultState(fault, engine)
    },
  })
}

function allOf(engine: Engine) {
  return { faults: engine.faults.all.map((fault) => faultState(fault, engine)) }
}

function faultState(fault: LiveFault, { journal }: Engine): ControlFault {
  const { id, rule, open, hits, began, callsLeft } = fault
  const named = rule.name === undefined ? {} : { name: rule.name }
  return {
    id,
    fault: rule.fault,
    ...named,
    open,
    hits,
    since: toIso(began),
    calls_left: callsLeft ?? null,
    ends_at: rule.during?.to === undefined ? null : toIso(began + milliseconds(rule.during.to)),
    requests: hits === 0 ? [] : requestsHitBy(id, journal.entries),
    rule: { ...shownFault(rule) },
  }
}

function requestsHitBy(id: string, entries: readonly JournalEntry[]): number[] {
  const found: number[] = []
  for (let at = entries.length - 1; at >= 0 && found.length < MOST_REQUESTS; at--) {
    const entry = entries[at]!
    if (entry.kind === 'request' && entry.faults.some((hit) => hit.id === id)) found.push(entry.id)
  }
  return found
}

export const faultOperations = [
  listFaults,
  addFault,
  clearFaults,
  removeFault,
  switchRow('open', 'Opens a fault: it takes effect'),
  switchRow('close', 'Closes a fault: it has no effect until you open it'),
]
