import {
  advance,
  clock,
  clockAfter,
  clockChange,
  settled,
  settleRequest,
  type ClockState,
} from './schemas/clock.js'
import { ApiError } from '../../service/contract/errors.js'
import type { Engine } from '../../service/engine/engine.js'
import { clockSpeed } from '../../base/clock/clock.js'
import { toIso, toIsoAfter } from '../../base/text/iso.js'
import { control } from './row.js'

export function clockState({ clock: current }: Engine): ClockState {
  const next = current.nextAt()
  return {
    mode: current.mode,
    speed: current.speed,
    now: toIso(current.now()),
    pending: current.pending,
    next_at: next === undefined ? null : toIsoAfter(next),
  }
}

const readClock = control({
  id: 'readClock',
  method: 'GET',
  path: '/_emulator/clock',
  summary: 'Clock mode, speed, current time and the next scheduled task',
  response: clock,
  run: ({ engine }) => clockState(engine),
})

const changeClock = control({
  id: 'changeClock',
  method: 'POST',
  path: '/_emulator/clock',
  summary: "Changes the clock's mode or speed from now on",
  body: clockChange,
  response: clock,
  run({ emulator: world, engine, body }) {
    const { mode = engine.clock.mode, speed } = body
    if (speed !== undefined && !clockSpeed.accepts(speed)) {
      return new ApiError(400, `speed: ${speed} is not ${clockSpeed.expected}.`)
    }
    world.useClock(mode, speed === undefined ? {} : { speed })
    engine.journal.note(`control: the clock is ${mode}, speed ${engine.clock.speed}`)
    return clockState(engine)
  },
})

const advanceClock = control({
  id: 'advanceClock',
  method: 'POST',
  path: '/_emulator/clock/advance',
  summary: 'Moves virtual time by a duration or to a moment',
  refusals: [409],
  body: advance,
  response: clock,
  run({ engine, body: { by, to, note = true } }) {
    if ((by === undefined) === (to === undefined)) {
      return new ApiError(400, 'Pass either "by", a duration, or "to", a moment.')
    }
    if (by === undefined) engine.clock.advanceTo(to!)
    else engine.clock.advance(by)
    if (note) engine.journal.note(`control: time moved to ${toIso(engine.clock.now())}`)
    return clockState(engine)
  },
})

const nextOnClock = control({
  id: 'nextOnClock',
  method: 'POST',
  path: '/_emulator/clock/next',
  summary: 'Moves virtual time to the next scheduled task and runs it',
  refusals: [409],
  response: clockAfter,
  run({ engine }) {
    const happened = engine.clock.next()
    return { ...clockState(engine), happened }
  },
})

const settleWorld = control({
  id: 'settleWorld',
  method: 'POST',
  path: '/_emulator/clock/settle',
  summary: 'Runs everything scheduled; 409 if tasks keep coming',
  refusals: [409],
  body: settleRequest,
  response: settled,
  async run({ emulator: world, body }) {
    const report = await world.settle(undefined, body)
    world.engine.changes.time()
    const { from, to, happened } = report
    return { from, to, happened, text: report.toString() }
  },
})

export const clockOperations = [readClock, changeClock, advanceClock, nextOnClock, settleWorld]
