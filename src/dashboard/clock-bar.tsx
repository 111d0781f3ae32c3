import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { send } from './control.js'
import { clockModes, type ClockMode, type ClockState } from './control-shapes.js'
import { fieldText } from './field-text.js'
import { Problem, useAction } from './use-action.js'
import { useLive, useLiveStore } from './use-live.js'

/** The emulator's clock, and what moves it. */
export function ClockBar(): ComponentChildren {
  const live = useLiveStore()
  const clock = useLive((each) => each.clock)
  const { busy, run, problem } = useAction()
  const running = useRef<ClockMode>('real')
  if (!clock) return null
  if (clock.mode !== 'manual') running.current = clock.mode
  const move = (path: string, body: object): void => {
    run(async () => live.setClock(await send<ClockState>('POST', path, body)))
  }
  const { mode, speed, now, pending } = clock
  const paused = mode === 'manual'
  return (
    <section class="clock" aria-label="Clock">
      <time dateTime={now} title={`${pending} to come`}>
        <span class="faint">{now.slice(0, 10)}</span> {now.slice(11, 23)}
      </time>
      <label>
        <span class="hidden-label">Mode</span>
        <select
          value={mode}
          disabled={busy}
          onChange={({ currentTarget }) => move('clock', { mode: currentTarget.value })}
        >
          {clockModes.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <label title="Seconds of the scenario per second of real time">
        ×{' '}
        <input
          aria-label="Speed"
          type="number"
          min="0"
          step="any"
          disabled={busy || mode !== 'real'}
          key={speed}
          defaultValue={String(speed)}
          onChange={({ currentTarget }) => move('clock', { speed: Number(currentTarget.value) })}
        />
      </label>
      <button
        class="pause"
        disabled={busy}
        onClick={() => move('clock', { mode: paused ? running.current : 'manual' })}
      >
        {paused ? 'Run' : 'Pause'}
      </button>
      <button disabled={busy || mode === 'real'} onClick={() => move('clock/next', {})}>
        Step
      </button>
      <form
        class="line"
        onSubmit={(event) => {
          event.preventDefault()
          move('clock/advance', { by: fieldText(event.currentTarget, 'by') })
        }}
      >
        <input aria-label="Advance by" name="by" defaultValue="10s" required disabled={busy} />
        <button disabled={busy || mode === 'real'}>Advance</button>
      </form>
      <Problem of={problem} />
    </section>
  )
}
