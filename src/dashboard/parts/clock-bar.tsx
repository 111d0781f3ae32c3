import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { BodyOf } from '../../emulator/control/client/call.js'
import type { ClockState } from '../../emulator/control/schemas/clock.js'
import { call } from '../data/control.js'
import { remember, remembered } from '../data/storage.js'
import { world } from '../data/world.js'
import { useWhyNot } from './advance-to.js'
import { Choice } from './choice.js'
import { fieldText, Problem, useAction } from './use-action.js'
import { hrefOf } from '../routes.js'
import { useLive, useLiveStore } from '../data/use-live.js'
import { counted } from './amounts.js'

type Mode = ClockState['mode']

/** All modes. The compiler checks that none is missing. */
const MODES = Object.keys({
  real: 0,
  auto: 0,
  manual: 0,
  instant: 0,
} satisfies Record<Mode, 0>) as Mode[]

/** Where the tab remembers how the clock of its world went. */
const RUNNING = `svtrain-running-clock ${world ?? ''}`

/** The emulator's clock and its controls. In a narrow window, a button opens them below the bar. */
export function ClockBar(): ComponentChildren {
  const clock = useLive((each) => each.clock)
  const [isOpen, setOpen] = useState(false)
  if (!clock) return null
  return (
    <>
      <button
        class="menu"
        aria-expanded={isOpen}
        aria-controls="clock"
        onClick={() => setOpen(!isOpen)}
      >
        Clock {clock.now.slice(11, 19)}
      </button>
      <section id="clock" class={`clock line ${isOpen ? '' : 'closed'}`} aria-label="Clock">
        <ClockControls of={clock} />
      </section>
    </>
  )
}

function ClockControls({ of: clock }: { of: ClockState }): ComponentChildren {
  const live = useLiveStore()
  const whyNot = useWhyNot()
  const { busy, run, problem, dismiss } = useAction()
  const { mode } = clock
  const paused = mode === 'manual'
  useEffect(() => {
    if (!paused) remember('sessionStorage', RUNNING, mode)
  }, [paused, mode])
  const show = (answer: Promise<ClockState>): void => {
    run(async () => live.setClock(await answer))
  }
  const change = (body: BodyOf<'POST /clock'>): void => show(call('POST /clock', { body }))
  return (
    <>
      <Now of={clock} />
      <Choice
        label="Mode"
        of={MODES}
        value={mode}
        disabled={busy}
        change={(next) => change({ mode: next })}
      />
      <SpeedField of={clock} isOff={busy} change={(next) => change({ speed: next })} />
      <button
        class="pause"
        disabled={busy}
        onClick={() => change({ mode: paused ? modeBefore() : 'manual' })}
      >
        {paused ? 'Run' : 'Pause'}
      </button>
      <button
        disabled={busy || whyNot !== undefined}
        title={whyNot}
        onClick={() => show(call('POST /clock/next'))}
      >
        Step
      </button>
      <AdvanceForm
        isOff={busy}
        advance={(by) => show(call('POST /clock/advance', { body: { by } }))}
      />
      {whyNot !== undefined && <span class="faint hint">Pause to step</span>}
      <Problem of={problem} dismiss={dismiss} />
    </>
  )
}

interface SpeedFieldProps {
  of: ClockState
  isOff: boolean
  change: (speed: number) => void
}

/** The speed in use. One that is refused does not stay in the field. */
function SpeedField({ of: { mode, speed }, isOff, change }: SpeedFieldProps): ComponentChildren {
  return (
    <label title="Scenario seconds per real second">
      ×{' '}
      <input
        aria-label="Speed"
        type="number"
        min="0"
        step="any"
        disabled={isOff || mode !== 'real'}
        key={speed}
        defaultValue={String(speed)}
        onChange={({ currentTarget: field }) => {
          const wanted = Number(field.value)
          field.value = String(speed)
          change(wanted)
        }}
      />
    </label>
  )
}

/** How the clock went before it was paused, also before a reload of the page. Default: real. */
function modeBefore(): Mode {
  const before = remembered('sessionStorage', RUNNING)
  return MODES.find((each) => each === before) ?? 'real'
}

/** The time, and when the next task is due. */
function Now({ of: { now, pending, next_at } }: { of: ClockState }): ComponentChildren {
  return (
    <span class="now">
      <time class="mono" dateTime={now}>
        <span class="faint">{now.slice(0, 10)}</span> {now.slice(11, 23)}{' '}
        <span class="faint">UTC</span>
      </time>
      <a class="faint next inline" href={hrefOf({ page: 'schedule' })}>
        {next_at === null
          ? 'nothing scheduled'
          : `${counted(pending, 'task')}, next at ${next_at.slice(11, 23)}`}
      </a>
    </span>
  )
}

interface AdvanceFormProps {
  isOff: boolean
  advance: (by: string) => void
}

function AdvanceForm({ isOff, advance }: AdvanceFormProps): ComponentChildren {
  const whyNot = useWhyNot()
  return (
    <form
      class="line"
      onSubmit={(event) => {
        event.preventDefault()
        advance(fieldText(event.currentTarget, 'by'))
      }}
    >
      <input aria-label="Advance by" name="by" defaultValue="10s" required disabled={isOff} />
      <button disabled={isOff || whyNot !== undefined} title={whyNot}>
        Advance
      </button>
    </form>
  )
}
