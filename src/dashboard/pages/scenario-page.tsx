import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { AnswerOf } from '../../emulator/control/client/call.js'
import type { CurrentScenario } from '../../emulator/control/schemas/scenario.js'
import { call } from '../data/control.js'
import { isRequest, MOST_JOBS } from '../data/live.js'
import { useCheck, type Check } from '../data/use-check.js'
import { useDraft, type Draft } from '../data/use-draft.js'
import { Choice } from '../parts/choice.js'
import { Confirm } from '../parts/confirm.js'
import { Loaded, Page } from '../parts/page.js'
import { Problem, useAction } from '../parts/use-action.js'
import { useLoaded } from '../data/use-loaded.js'
import { useLive, useLiveStore } from '../data/use-live.js'
import { counted } from '../parts/amounts.js'
import { Name } from '../parts/facts.js'
import { ScenarioEditor } from './scenario-editor.js'

type ListedScenario = AnswerOf<'GET /scenarios'>['scenarios'][number]

export function ScenarioPage(): ComponentChildren {
  const current = useLoaded(() => call('GET /scenario'))
  const list = useLoaded(() => call('GET /scenarios'))
  const reload = (): void => {
    list.reload()
    current.reload()
  }
  const [scenario, listed] = [current.value, list.value?.scenarios]
  const value = scenario && listed && { current: scenario, listed }
  return (
    <Page title={scenario ? <Name of={scenario.scenario.name} /> : 'Scenario'}>
      <Loaded
        of={{ value, error: value ? undefined : (current.error ?? list.error) }}
        what="scenario"
      >
        {(loaded) => <Scenario {...loaded} reload={reload} />}
      </Loaded>
    </Page>
  )
}

interface ScenarioProps {
  current: CurrentScenario
  listed: readonly ListedScenario[]
  reload: () => void
}

function Scenario({ current, listed, reload }: ScenarioProps): ComponentChildren {
  const live = useLiveStore()
  const own = useOwnScenarios(current, listed)
  const [draft, keepDraft] = useDraft()
  const [name, setName] = useState(draft?.from)
  const check = useCheck(draft?.text)
  const { busy, run, problem } = useAction()
  const chosen = name ?? current.scenario.name
  const base = useLoaded(
    () => scenarioNamed(chosen, current, own.get(chosen)).catch(orFor(draft && current)),
    `${chosen} ${current.yaml}`,
  )
  const change = (make: () => Promise<unknown>): void =>
    run(async () => {
      await make()
      keepDraft(undefined)
      setName(undefined)
      live.setInfo(await call('GET /info'))
      reload()
    })
  const send = ({ reset }: { reset: boolean }): void => {
    const isListed = listed.some((each) => each.name === chosen)
    const unlisted = isListed ? undefined : own.get(chosen)
    const body = { ...sentFor(chosen, draft, unlisted), reset }
    change(() => call('POST /scenario', { body }))
  }
  return (
    <>
      <p>{current.scenario.description}</p>
      <section class="actions" aria-label="Change the scenario" aria-busy={busy}>
        <ScenarioChoice
          of={choicesFrom(own, listed)}
          chosen={chosen}
          choose={setName}
          hasDraft={draft !== undefined}
          isCurrent={chosen === current.scenario.name && !draft}
          isValid={canBeSent(base.value, draft, check)}
          busy={busy}
          apply={() => send({ reset: false })}
          startOver={() => send({ reset: true })}
          reset={() => change(() => call('POST /reset'))}
        />
        <p class="faint">{WHAT_CHANGES}</p>
        <Problem of={problem} />
      </section>
      <Loaded of={{ value: base.value, error: base.value ? undefined : base.error }} what="text">
        {(text) => (
          <ScenarioEditor
            key={text.yaml}
            {...{ base: text, draft, check, busy }}
            change={keepDraft}
          />
        )}
      </Loaded>
    </>
  )
}

interface ScenarioChoiceProps {
  of: readonly NamedScenario[]
  chosen: string
  choose: (name: string) => void
  /** Whether the user changed the text. */
  hasDraft: boolean
  /** Whether the world uses it already. */
  isCurrent: boolean
  isValid: boolean
  busy: boolean
  apply: () => void
  startOver: () => void
  reset: () => void
}

/** The selection of a scenario, and what one can do with it. */
function ScenarioChoice(props: ScenarioChoiceProps): ComponentChildren {
  const { of, chosen, choose, hasDraft, isCurrent, isValid, busy, apply, startOver, reset } = props
  return (
    <>
      <div class="line">
        <Choice
          label="Change to"
          look="labeled"
          aria-describedby="scenario-choice"
          of={of.map((each) => each.name)}
          value={chosen}
          change={choose}
          disabled={busy || hasDraft}
        />
        <button disabled={busy || isCurrent || !isValid} onClick={apply}>
          Apply
        </button>
        <Confirmed label="Start over" busy={busy || !isValid} act={async () => startOver()} />
        <Confirmed label="Reset to the initial scenario" busy={busy} act={async () => reset()} />
        {busy && <span role="status">Working…</span>}
      </div>
      <p id="scenario-choice">
        {hasDraft ? DRAFT_IS_USED : of.find((each) => each.name === chosen)?.description}
      </p>
    </>
  )
}

const DRAFT_IS_USED =
  'Apply and Start over use your text below. Discard your changes to choose another scenario.'
const WHAT_CHANGES =
  'Apply: running jobs do not change, and new jobs use the scenario. Start over: all records ' +
  'are deleted first. Reset: the same, with the scenario that the emulator started with.'

type NamedScenario = Pick<ListedScenario, 'name' | 'description'>
type OwnScenarios = ReadonlyMap<string, CurrentScenario>

/** The scenarios of the user. The API knows listed scenarios by name. It takes any other as a text. */
function useOwnScenarios(
  current: CurrentScenario,
  listed: readonly ListedScenario[],
): OwnScenarios {
  const live = useLiveStore()
  useEffect(() => {
    if (!listed.some((each) => each.name === current.scenario.name)) live.keepOwnScenario(current)
  }, [live, current, listed])
  return useLive((each) => each.ownScenarios)
}

function choicesFrom(own: OwnScenarios, listed: readonly ListedScenario[]): NamedScenario[] {
  const others = [...own.values()].map((each) => each.scenario)
  return [...others.filter((each) => !listed.some((other) => other.name === each.name)), ...listed]
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

/** The text of a draft stays reachable if the scenario that it was made from is gone. */
function orFor(fallback: CurrentScenario | undefined) {
  return (error: unknown): CurrentScenario => {
    if (fallback) return fallback
    throw error
  }
}

/** A scenario with its text: the current one, one that was in use before, or one that the emulator lists. */
async function scenarioNamed(
  name: string,
  current: CurrentScenario,
  before: CurrentScenario | undefined,
): Promise<CurrentScenario> {
  if (name === current.scenario.name) return current
  return before ?? call('GET /scenario', { query: { name } })
}

interface ConfirmedProps {
  label: string
  busy: boolean
  act: () => Promise<void>
}

/** A button that deletes all records, after a second click. */
function Confirmed({ label, busy, act }: ConfirmedProps): ComponentChildren {
  const jobs = useLive((live) => live.jobs.size)
  const requests = useLive(({ entries }) => entries.filter(isRequest).length)
  const isCut = useLive((live) => live.isCut)
  const orMore = (isSome: boolean): string => (isSome ? ' or more' : '')
  const lost = `${counted(jobs, 'job')}${orMore(jobs >= MOST_JOBS)}, ${counted(requests, 'request')}${orMore(isCut)} and all models`
  return (
    <Confirm
      label={label}
      question={`${label}? Deletes ${lost}.`}
      yes={`Delete and ${label.toLowerCase()}`}
      disabled={busy}
      act={act}
    />
  )
}
