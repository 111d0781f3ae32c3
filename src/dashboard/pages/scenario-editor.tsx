import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { CurrentScenario } from '../../emulator/control/schemas/scenario.js'
import type { Draft } from '../data/use-draft.js'
import type { Check, TextProblem } from '../data/use-check.js'
import { CopyButton } from '../parts/copy-button.js'
import { save } from '../parts/export.js'
import { offsetOf, TextEditor, type Place } from '../parts/text-editor.js'
import { Problem } from '../parts/use-action.js'
import { counted } from '../parts/amounts.js'

interface ScenarioEditorProps {
  /** The scenario that the text begins with. */
  base: CurrentScenario
  draft: Draft | undefined
  /** The problems of the draft. */
  check: Check
  /** Whether the text is in use: what you would type now would be lost. */
  busy: boolean
  change: (draft: Draft | undefined) => void
}

/** The text of a scenario, which is checked while the user changes it. */
export function ScenarioEditor(props: ScenarioEditorProps): ComponentChildren {
  const { base, draft, check, busy, change } = props
  const [place, setPlace] = useState<Place>()
  const text = draft?.text ?? base.yaml
  const { problems } = check
  const from = base.scenario.name
  const write = (next: string): void => {
    change(next === base.yaml ? undefined : { text: next, from })
  }
  const wrong = new Set(problems.flatMap(({ line }) => line ?? []))
  return (
    <section class="stack" aria-label="The text of the scenario">
      <div class="line">
        <h2>As YAML</h2>
        <CopyButton text={text} what="the scenario" />
        <button onClick={() => save(`${from}.yaml`, new Blob([text], { type: 'text/yaml' }))}>
          Download
        </button>
        {draft && (
          <button class="danger" onClick={() => change(undefined)}>
            Discard your changes
          </button>
        )}
        <span role="status" class={problems.length > 0 ? 'bad' : 'faint'}>
          {stateOf(check, draft)}
        </span>
      </div>
      <p class="faint" id="editor-help">
        {base.has_functions ? HAS_FUNCTIONS : HOW_TO_EDIT}
      </p>
      <TextEditor
        label="The scenario as YAML"
        text={text}
        readOnly={base.has_functions || busy}
        wrong={wrong}
        place={place}
        onChange={write}
      />
      {problems.length > 0 && (
        <ul class="problem note stack" aria-label="Problems">
          {problems.map((problem) => (
            <OneProblem
              key={`${problem.line} ${problem.place} ${problem.message}`}
              of={problem}
              go={setPlace}
              correct={() => write(corrected(text, problem))}
            />
          ))}
        </ul>
      )}
      <Problem of={check.error} />
    </section>
  )
}

const HAS_FUNCTIONS =
  'This scenario has functions, which only code can contain. So you cannot change it here: ' +
  'change its file, or choose another scenario to start from.'
const HOW_TO_EDIT =
  'Tab indents. Press Escape and then Tab to leave the text. Your changes stay in this tab ' +
  'until you apply or discard them.'

function stateOf({ busy, problems, notes }: Check, draft: Draft | undefined): string {
  if (!draft) return ''
  if (busy) return 'Checking…'
  if (problems.length > 0) return counted(problems.length, 'problem')
  return ['Valid. Not applied yet.', ...notes].join(' ')
}

interface OneProblemProps {
  of: TextProblem
  go: (place: Place) => void
  correct: () => void
}

function OneProblem({ of, go, correct }: OneProblemProps): ComponentChildren {
  const { line, column, place, message, nearest } = of
  return (
    <li>
      {line !== null && (
        <button class="plain" onClick={() => go({ line, column: column ?? 1 })}>
          Line {line}
        </button>
      )}{' '}
      {place !== '' && <code>{place}</code>} {message}
      {nearest !== null && line !== null && (
        <>
          {' '}
          <button onClick={correct}>Use {nearest}</button>
        </>
      )}
    </li>
  )
}

/** The text with the nearest right word in the place of a wrong one. */
function corrected(text: string, { line, column, nearest }: TextProblem): string {
  const at = offsetOf(text, { line: line ?? 1, column: column ?? 1 })
  const [word = ''] = /^(?:"[^"\n]*"|'[^'\n]*'|[^\s:,{}[\]#]+)/.exec(text.slice(at)) ?? []
  return text.slice(0, at) + (nearest ?? word) + text.slice(at + word.length)
}
