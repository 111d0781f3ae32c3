import { boolean } from '../../../service/contract/pydantic/boolean.js'
import { optional } from '../../../service/contract/pydantic/fields.js'
import { string } from '../../../service/contract/pydantic/string.js'
import { clockModes } from '../../../base/clock/clock.js'
import { advance, clockChange, type ClockState } from '../../../emulator/control/schemas.js'
import { counted } from '../../../base/text/counted.js'
import { cut } from '../paged.js'
import { READS, SETS, ADDS, tool, ToolError } from '../tool.js'

const readClock = tool({
  name: 'read_clock',
  title: 'Read clock',
  description: 'Returns how time passes in the emulator, its time, and when the next task is due.',
  input: {},
  annotations: READS,
  run: async (_args, { call }) => clockText(await call('GET /clock')),
})

const setClock = tool({
  name: 'set_clock',
  title: 'Set clock',
  description:
    'Changes how time passes: real, auto (jumps when a client waits), manual (only advance_clock moves it), instant (everything happens at once).',
  input: clockChange.fields,
  annotations: SETS,
  async run({ mode, speed }, { call }) {
    if (mode === undefined && speed === undefined) {
      throw new ToolError(`Pass "mode", "speed" or both. Modes: ${clockModes.join(', ')}.`)
    }
    return clockText(await call('POST /clock', { body: { mode, speed } }))
  },
})

const advanceClock = tool({
  name: 'advance_clock',
  title: 'Advance clock',
  description:
    'Moves the time of the emulator, and runs what is due: by a duration, to a moment, or to the next scheduled task.',
  input: {
    by: optional(string, { description: 'A duration, such as 90s, 10m or 1h30m.' }),
    to: advance.fields.to,
    next: optional(boolean, { description: 'Moves to the next scheduled task, and runs it.' }),
  },
  annotations: ADDS,
  async run({ by, to, next = false }, { call }) {
    const given = [by !== undefined, to !== undefined, next].filter(Boolean)
    if (given.length !== 1) throw new ToolError('Pass one of these: "by", "to", or "next": true.')
    if (!next) return clockText(await call('POST /clock/advance', { body: { by, to } }))
    const { happened, ...clock } = await call('POST /clock/next')
    return happened ? clockText(clock) : 'Nothing is scheduled.'
  },
})

const settle = tool({
  name: 'settle',
  title: 'Settle',
  description:
    'Runs everything that is scheduled, until nothing is left to do: jobs end, webhooks arrive.',
  input: {
    within: optional(string, { description: 'How long it may take, in real time. Default: 10s.' }),
  },
  annotations: ADDS,
  async run({ within }, { call }) {
    const { text } = await call('POST /clock/settle', { body: { within } })
    return cut(text, 3000)
  },
})

function clockText({ mode, speed, now, pending, next_at: next }: ClockState): string {
  const rate = mode === 'real' ? `, speed ${speed}` : ''
  const due = next === null ? '' : `, the next one at ${next}`
  return `The clock is ${mode}${rate}. It is ${now}. ${counted(pending, 'scheduled task')}${due}.`
}

export const clockTools = [readClock, setClock, advanceClock, settle]
