import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { call } from './control.js'
import { Problem, useAction } from './use-action.js'
import { useLoaded } from './use-loaded.js'
import { useLiveStore } from './use-live.js'
import { Name } from './wording.js'

export function ScenarioPage(): ComponentChildren {
  const live = useLiveStore()
  const current = useLoaded(() => call('GET /scenario'))
  const list = useLoaded(() => call('GET /scenarios'))
  const [name, setName] = useState<string>()
  const { busy, run, problem } = useAction()
  if (!current.value || !list.value) {
    return <Problem of={current.error ?? list.error} />
  }
  const { scenario, yaml } = current.value
  const { scenarios } = list.value
  const chosen = name ?? scenario.name
  const isBuiltIn = scenarios.some((each) => each.name === chosen)
  const change = (reset: boolean): void => {
    run(async () => {
      // The user's own scenario has no name that the API knows. A reset returns to it.
      await (isBuiltIn || !reset
        ? call('POST /scenario', { body: { name: chosen, reset } })
        : call('POST /reset'))
      live.setInfo(await call('GET /info'))
      current.reload()
    })
  }
  return (
    <>
      <h1 tabIndex={-1}>
        <Name of={scenario.name} />
      </h1>
      <p>{scenario.description}</p>
      <section class="actions" aria-label="Change the scenario">
        <div class="line">
          <label>
            Change to{' '}
            <select value={chosen} onChange={({ currentTarget }) => setName(currentTarget.value)}>
              {scenarios.some((each) => each.name === scenario.name) || (
                <option value={scenario.name}>{scenario.name}</option>
              )}
              {scenarios.map((each) => (
                <option key={each.name} value={each.name}>
                  {each.name}
                </option>
              ))}
            </select>
          </label>
          <button disabled={busy} onClick={() => change(false)}>
            Apply
          </button>
          <button class="danger" disabled={busy} onClick={() => change(true)}>
            Start over
          </button>
          <span class="faint">
            {scenarios.find((each) => each.name === chosen)?.description ?? scenario.description}
          </span>
        </div>
        <p class="faint">
          Apply: running jobs do not change, and new jobs use the scenario. Start over: all records
          are deleted first.
        </p>
        <Problem of={problem} />
      </section>
      <pre class="listing" tabIndex={0} aria-label="The scenario as YAML">
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
