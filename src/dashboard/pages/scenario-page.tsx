import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { CurrentScenario } from '../../emulator/control/schemas.js'
import { call } from '../data/control.js'
import { isRequest } from '../data/live.js'
import { useCheck, type Check } from '../data/use-check.js'
import { useDraft, type Draft } from '../data/use-draft.js'
import { Confirm } from '../parts/confirm.js'
import { Loading } from '../parts/loading.js'
import { Problem, useAction } from '../parts/use-action.js'
import { useLoaded, type LoadState } from '../data/use-loaded.js'
import { useLive, useLiveStore } from '../data/use-live.js'
import { counted, Name } from '../parts/wording.js'
import { ScenarioEditor, type ScenarioEditorProps } from './scenario-editor.js'

export function ScenarioPage(): ComponentChildren {
  const live = useLiveStore()
  const own = useLive((each) => each.ownScenarios)
  const current = useLoaded(() => call('GET /scenario'))
  const list = useLoaded(() => call('GET /scenarios'))
  const [draft, keepDraft] = useDraft()
  const [name, setName] = useState(draft?.from)
  const check = useCheck(draft?.text)
  const { busy, run, problem } = useAction()
  const loaded = current.value
  const listed = list.value?.scenarios
  const chosen = name ?? loaded?.scenario.name ?? ''
  const base = useLoaded(
    () => textOf(chosen, loaded, own.get(chosen)).catch(orFor(draft && loaded)),
    `${chosen} ${loaded?.yaml}`,
  )
  useEffect(() => {
    // The API knows listed scenarios by name. It takes any other as a text.
    if (loaded && listed && !listed.some((each) => each.name === loaded.scenario.name)) {
      live.keepOwnScenario(loaded)
    }
  }, [live, loaded, listed])
  if (!loaded || !listed) {
    const error = current.error ?? list.error
    return <Loading what="scenario" error={error} />
  }
  const { scenario } = loaded
  const others = [...own.values()].map((each) => each.scenario)
  const choices = [
    ...others.filter((each) => !listed.some((other) => other.name === each.name)),
    ...listed,
  ]
  const choose = (reset: boolean): void => {
    run(async () => {
      const isListed = listed.some((each) => each.name === chosen)
      const unlisted = isListed ? undefined : own.get(chosen)
      await call('POST /scenario', { body: { ...sentFor(chosen, draft, unlisted), reset } })
      await refresh()
    })
  }
  const startAgain = (): void => {
    run(async () => {
      await call('POST /reset')
      await refresh()
    })
  }
  const refresh = async (): Promise<void> => {
    keepDraft(undefined)
    setName(undefined)
    live.setInfo(await call('GET /info'))
    list.reload()
    current.reload()
  }
  const isSame = chosen === scenario.name && !draft
  const valid = canBeSent(base.value, draft, check)
  return (
    <>
      <h1 tabIndex={-1}>
        <Name of={scenario.name} />
      </h1>
      <p>{scenario.description}</p>
      <section class="actions" aria-label="Change the scenario" aria-busy={busy}>
        <div class="line">
          <Choice
            of={choices.map((each) => each.name)}
            chosen={chosen}
            disabled={busy || draft !== undefined}
            choose={setName}
          />
          <button disabled={busy || isSame || !valid} onClick={() => choose(false)}>
            Apply
          </button>
          <Confirmed label="Start over" busy={busy || !valid} act={() => choose(true)} />
          <Confirmed label="Reset to the initial scenario" busy={busy} act={startAgain} />
          {busy && <span role="status">Working…</span>}
        </div>
        <p id="scenario-choice">
          {draft
            ? 'Apply and Start over use your text below. Discard your changes to choose another scenario.'
            : choices.find((each) => each.name === chosen)?.description}
        </p>
        <p class="faint">
          Apply: running jobs do not change, and new jobs use the scenario. Start over: all records
          are deleted first. Reset: the same, with the scenario that the emulator started with.
        </p>
        <Problem of={problem} />
      </section>
      <ScenarioText base={base} draft={draft} check={check} busy={busy} change={keepDraft} />
    </>
  )
}

interface ChoiceProps {
  of: readonly string[]
  chosen: string
  disabled: boolean
  choose: (name: string) => void
}

/** The names of the scenarios. The chosen one is there, also if it is none of them. */
function Choice({ of: names, chosen, disabled, choose }: ChoiceProps): ComponentChildren {
  const shown = names.includes(chosen) ? names : [chosen, ...names]
  return (
    <label>
      Change to{' '}
      <select
        value={chosen}
        disabled={disabled}
        aria-describedby="scenario-choice"
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {shown.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Which scenario is sent: the user's text, that of a scenario without a name, or a name. */
function sentFor(
  name: string,
  draft: Draft | undefined,
  unlisted: CurrentScenario | undefined,
): { yaml: string } | { name: string } {
  const yaml = draft?.text ?? unlisted?.yaml
  return yaml === undefined ? { name } : { yaml }
}

function canBeSent(
  base: CurrentScenario | undefined,
  draft: Draft | undefined,
  { problems }: Check,
): boolean {
  // A text that is not checked yet may be sent: the emulator checks it, too.
  return base?.has_functions ? !draft : problems.length === 0
}

interface ScenarioTextProps extends Omit<ScenarioEditorProps, 'base'> {
  base: LoadState<CurrentScenario | undefined>
}

function ScenarioText({ base, ...props }: ScenarioTextProps): ComponentChildren {
  if (base.value) return <ScenarioEditor key={base.value.yaml} base={base.value} {...props} />
  return <Loading what="text" error={base.error} />
}

/** The text of a draft stays reachable if the scenario that it was made from is gone. */
function orFor(fallback: CurrentScenario | undefined) {
  return (error: unknown): CurrentScenario => {
    if (fallback) return fallback
    throw error
  }
}

/** A scenario with its text: the current one, one that was in use before, or one that the emulator lists. */
async function textOf(
  name: string,
  current: CurrentScenario | undefined,
  before: CurrentScenario | undefined,
): Promise<CurrentScenario | undefined> {
  if (name === current?.scenario.name) return current
  return before ?? (name === '' ? undefined : call('GET /scenario', { query: { name } }))
}

interface ConfirmedProps {
  label: string
  busy: boolean
  act: () => void
}

/** A button that deletes all records, after a second click. */
function Confirmed({ label, busy, act }: ConfirmedProps): ComponentChildren {
  const jobs = useLive((live) => live.jobs.size)
  const requests = useLive(({ entries }) => entries.filter(isRequest).length)
  const lost = `${counted(jobs, 'job')}, ${counted(requests, 'request')} and all models`
  return (
    <Confirm
      label={label}
      question={`${label}? Deletes ${lost}.`}
      yes={`Delete and ${label.toLowerCase()}`}
      busy={busy}
      act={act}
    />
  )
}
