import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { call } from '../data/control.js'
import { CopyButton } from '../parts/copy-button.js'
import { Problem, useAction } from '../parts/use-action.js'
import { useLoaded } from '../data/use-loaded.js'
import { useLive, useLiveStore } from '../data/use-live.js'
import { counted, Name } from '../parts/wording.js'

export function ScenarioPage(): ComponentChildren {
  const live = useLiveStore()
  const own = useLive((each) => each.ownScenarios)
  const current = useLoaded(() => call('GET /scenario'))
  const list = useLoaded(() => call('GET /scenarios'))
  const [name, setName] = useState<string>()
  const { busy, run, problem } = useAction()
  const loaded = current.value
  const builtIn = list.value?.scenarios
  useEffect(() => {
    // The API knows built-in scenarios by name. It takes any other as a whole.
    if (loaded && builtIn && !builtIn.some((each) => each.name === loaded.scenario.name)) {
      live.keepOwnScenario(loaded.scenario)
    }
  }, [live, loaded, builtIn])
  if (!loaded || !builtIn) {
    const error = current.error ?? list.error
    return error ? <Problem of={error} /> : <p class="empty">Loading the scenario…</p>
  }
  const { scenario, yaml } = loaded
  const choices = [
    ...[...own.values()].filter((each) => !builtIn.some((other) => other.name === each.name)),
    ...builtIn,
  ]
  const chosen = name ?? scenario.name
  const choose = (reset: boolean): void => {
    run(async () => {
      const whole = own.get(chosen)
      const isBuiltIn = builtIn.some((each) => each.name === chosen)
      const body = isBuiltIn ? { name: chosen, reset } : { scenario: whole ?? chosen, reset }
      await call('POST /scenario', { body })
      await refresh()
    })
  }
  const startAgain = (): void => {
    run(async () => {
      await call('POST /reset')
      setName(undefined)
      await refresh()
    })
  }
  const refresh = async (): Promise<void> => {
    live.setInfo(await call('GET /info'))
    current.reload()
  }
  return (
    <>
      <h1 tabIndex={-1}>
        <Name of={scenario.name} />
      </h1>
      <p>{scenario.description}</p>
      <section class="actions" aria-label="Change the scenario" aria-busy={busy}>
        <div class="line">
          <label>
            Change to{' '}
            <select value={chosen} onChange={({ currentTarget }) => setName(currentTarget.value)}>
              {choices.some((each) => each.name === scenario.name) || (
                <option value={scenario.name}>{scenario.name}</option>
              )}
              {choices.map((each) => (
                <option key={each.name} value={each.name}>
                  {each.name}
                </option>
              ))}
            </select>
          </label>
          <button disabled={busy || chosen === scenario.name} onClick={() => choose(false)}>
            Apply
          </button>
          <Confirmed label="Start over" busy={busy} act={() => choose(true)} />
          <Confirmed label="Reset to the initial scenario" busy={busy} act={startAgain} />
          {busy && <span role="status">Working…</span>}
        </div>
        <p>{choices.find((each) => each.name === chosen)?.description}</p>
        <p class="faint">
          Apply: running jobs do not change, and new jobs use the scenario. Start over: all records
          are deleted first. Reset: the same, with the scenario that the emulator started with.
        </p>
        <Problem of={problem} />
      </section>
      <div class="line">
        <h2>As YAML</h2>
        <CopyButton text={yaml} what="the scenario" />
      </div>
      <pre class="listing" tabIndex={0} role="group" aria-label="The scenario as YAML">
        {yaml
          .trimEnd()
          .split('\n')
          .map((line, index) => (
            <code key={index}>{`${line}\n`}</code>
          ))}
      </pre>
    </>
  )
}

interface ConfirmedProps {
  label: string
  busy: boolean
  act: () => void
}

/** A button that deletes all records. It acts after a second click, which says what is deleted. */
function Confirmed({ label, busy, act }: ConfirmedProps): ComponentChildren {
  const [asking, setAsking] = useState(false)
  const jobs = useLive((live) => live.jobs.size)
  const requests = useLive(({ entries }) => entries.filter(({ kind }) => kind === 'request').length)
  if (!asking) {
    return (
      <button class="danger" disabled={busy} onClick={() => setAsking(true)}>
        {label}
      </button>
    )
  }
  return (
    <span class="line confirm" role="group" aria-label={`${label}?`}>
      <span>
        {label}? Deletes {counted(jobs, 'job')}, {counted(requests, 'request')} and all models.
      </span>
      <button
        class="danger"
        disabled={busy}
        ref={(button) => button?.focus()}
        onClick={() => {
          setAsking(false)
          act()
        }}
      >
        Delete and {label.toLowerCase()}
      </button>
      <button onClick={() => setAsking(false)}>Cancel</button>
    </span>
  )
}
