import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { call } from '../data/control.js'
import { variantsBy, type JsonSchema } from '../data/json-schema.js'
import { useCheck, type TextProblem } from '../data/use-check.js'
import { useLive } from '../data/use-live.js'
import { yamlText } from '../data/yaml-text.js'
import { CopyButton } from '../parts/copy-button.js'
import { SchemaFields } from '../parts/schema-form.js'
import { Problem, useAction } from '../parts/use-action.js'

type FaultValue = Readonly<Record<string, unknown>>

/** Faults that people often need. Each fills the form. */
const PRESETS: Readonly<Record<string, FaultValue>> = {
  '429 on job creation, twice': {
    fault: 'status',
    status: 429,
    retry_after: '2s',
    match: { operation: 'createRlTrainingJob' },
    calls: { to: 2 },
  },
  'Drop the connection on chat': {
    fault: 'drop',
    match: { operation: 'createChatCompletion' },
  },
  '500 on the next request': { fault: 'status', status: 500, calls: 1 },
  'Slow answers': { fault: 'delay', delay: { from: '1s', to: '3s' } },
  'No answer at all': { fault: 'hang', calls: 1 },
  'One request in five fails': { fault: 'status', status: 503, probability: 0.2 },
}

/** The faults of the schema of scenarios, by kind. */
export function faultKinds(schema: object): ReadonlyMap<string, JsonSchema> {
  const { properties } = schema as JsonSchema
  return variantsBy('fault', properties?.['faults']?.items ?? {})
}

/** The fields that all kinds have. */
export function commonFields(kinds: ReadonlyMap<string, JsonSchema>): ReadonlySet<string> {
  const all = [...kinds.values()].map(({ properties = {} }) => new Set(Object.keys(properties)))
  const [first = new Set<string>(), ...others] = all
  return new Set([...first].filter((name) => others.every((each) => each.has(name))))
}

interface FaultFormProps {
  kinds: ReadonlyMap<string, JsonSchema>
  /** Called after a fault was added. */
  added: () => void
}

/** A form for a new fault. Its fields come from the schema of scenarios, and it is checked while one types. */
export function FaultForm({ kinds, added }: FaultFormProps): ComponentChildren {
  const [value, setValue] = useState<FaultValue>({ fault: 'status', status: 503 })
  const [preset, setPreset] = useState(0)
  const [outcome, setOutcome] = useState<string>()
  const { busy, run, problem } = useAction()
  const models = useLive((live) => live.jobs)
  const completions = useMemo(
    () => ({ model: [...new Set([...models.values()].map((job) => job.model.name))] }),
    [models],
  )
  const check = useCheck(
    JSON.stringify({ name: 'fault', faults: [value] }),
    `${String(value['fault'])} ${preset}`,
  )
  const problems = check.problems.map(insideFault)
  const kind = kinds.get(String(value['fault']))
  const common = commonFields(kinds)
  const { fault: _fault, ...fields } = kind?.properties ?? {}
  const [own, shared] = divided(fields, (name) => !common.has(name))
  const change = (next: FaultValue): void => {
    setValue(next)
    setOutcome(undefined)
  }
  const merge = (part: FaultValue, among: object): void => {
    const kept = Object.entries(value).filter(([name]) => !(name in among))
    change({ ...Object.fromEntries(kept), ...part })
  }
  const context = { problems, completions }
  const of = (among: object): FaultValue => {
    return Object.fromEntries(Object.entries(value).filter(([name]) => name in among))
  }
  const add = (): void => {
    run(async () => {
      const { id, name, fault } = await call('POST /faults', { body: { ...value } })
      setOutcome(
        `Added ${name ?? id} (${fault}). It is open. Close or remove it in the list above.`,
      )
      added()
    })
  }
  const general = problems.filter(({ place }) => place === '' || !isField(place, fields))
  return (
    <section class="actions fault-form" aria-label="New fault">
      <h2>New fault</h2>
      <div class="line" role="group" aria-label="Presets">
        {Object.entries(PRESETS).map(([name, filled]) => (
          <button
            key={name}
            type="button"
            onClick={() => {
              change(filled)
              setPreset(preset + 1)
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="beside">
        <form
          id="new-fault"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            add()
          }}
        >
          <div class="schema-field">
            <label for="fault-kind">fault</label>
            <select
              id="fault-kind"
              value={String(value['fault'])}
              onChange={({ currentTarget }) => {
                change(keptFor(kinds.get(currentTarget.value), currentTarget.value, value))
              }}
            >
              {[...kinds.keys()].map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </div>
          <p class="help">{kind?.description}</p>
          <SchemaFields
            key={String(value['fault'])}
            fields={own}
            required={kind?.required ?? []}
            place=""
            value={of(own)}
            context={context}
            onChange={(part) => merge(part, own)}
          />
          <details open>
            <summary>Which calls, and when</summary>
            <SchemaFields
              fields={shared}
              required={kind?.required ?? []}
              place=""
              value={of(shared)}
              context={context}
              onChange={(part) => merge(part, shared)}
            />
          </details>
          {general.map(({ message, place }) => (
            <p key={message} class="bad wrong">
              {place !== '' && `${place}: `}
              {message}
            </p>
          ))}
        </form>
        <div class="preview">
          <div class="line">
            <button form="new-fault" disabled={busy || problems.length > 0}>
              Add the fault
            </button>
            <span role="status" class={problems.length > 0 ? 'bad' : ''}>
              {outcome ?? (problems.length > 0 ? summaryOf(problems) : '')}
            </span>
          </div>
          <Problem of={check.error ?? problem} />
          <Preview of={value} />
        </div>
      </div>
    </section>
  )
}

function isField(place: string, fields: object): boolean {
  return (/^[^.[]+/.exec(place)?.[0] ?? '') in fields
}

function summaryOf(problems: readonly TextProblem[]): string {
  const places = problems.map(({ place }) => place || 'the fault')
  return `Correct first: ${[...new Set(places)].join(', ')}.`
}

/** The check sees the fault as the first one of a scenario. */
function insideFault(problem: TextProblem): TextProblem {
  return { ...problem, place: problem.place.replace(/^faults\[0\]\.?/, '') }
}

function divided(
  fields: Readonly<Record<string, JsonSchema>>,
  isFirst: (name: string) => boolean,
): [Readonly<Record<string, JsonSchema>>, Readonly<Record<string, JsonSchema>>] {
  const entries = Object.entries(fields)
  return [
    Object.fromEntries(entries.filter(([name]) => isFirst(name))),
    Object.fromEntries(entries.filter(([name]) => !isFirst(name))),
  ]
}

/** The values that another kind of fault has as well. */
function keptFor(kind: JsonSchema | undefined, name: string, value: FaultValue): FaultValue {
  const kept = Object.entries(value).filter(([each]) => each !== 'fault' && fieldsOf(kind)[each])
  return { fault: name, ...Object.fromEntries(kept) }
}

function fieldsOf(kind: JsonSchema | undefined): Readonly<Record<string, JsonSchema>> {
  return kind?.properties ?? {}
}

/** The fault as text, for a scenario and for a call. */
function Preview({ of: value }: { of: FaultValue }): ComponentChildren {
  const yaml = `faults:\n${yamlText([value], '  ')}`
  const url = new URL('faults', location.href).href
  const body = JSON.stringify(value).replaceAll("'", String.raw`'\''`)
  const curl = `curl -X POST ${url} -d '${body}'\n`
  return (
    <>
      <div class="line">
        <h3>In a scenario</h3>
        <CopyButton text={yaml} what="as scenario YAML" />
      </div>
      <pre role="group" aria-label="The fault as YAML">
        {yaml}
      </pre>
      <div class="line">
        <h3>As a control call</h3>
        <CopyButton text={curl} what="as control call" />
      </div>
      <pre>{curl}</pre>
    </>
  )
}
