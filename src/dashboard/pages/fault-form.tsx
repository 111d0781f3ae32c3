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
  const name = String(value['fault'])
  const check = useCheck(JSON.stringify({ name: 'fault', faults: [value] }), `${name} ${preset}`)
  const problems = check.problems.map(insideFault)
  const isWrong = problems.length > 0
  const change = (next: FaultValue): void => {
    setValue(next)
    setOutcome(undefined)
  }
  const add = async (): Promise<void> => {
    const { id, name: given, fault } = await call('POST /faults', { body: { ...value } })
    setOutcome(`Added ${given ?? id} (${fault}). It is open. Close or remove it in the list above.`)
    added()
  }
  return (
    <section class="actions fault-form" aria-label="New fault">
      <h2>New fault</h2>
      <Presets
        choose={(filled) => {
          change(filled)
          setPreset(preset + 1)
        }}
      />
      <div class="beside">
        <form
          id="new-fault"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            run(add)
          }}
        >
          <KindField
            of={[...kinds.keys()]}
            kind={name}
            change={(next) => change(keptFor(kinds.get(next), next, value))}
          />
          <FaultFields kinds={kinds} value={value} problems={problems} change={change} />
        </form>
        <div class="preview">
          <div class="line">
            <button form="new-fault" disabled={busy || isWrong}>
              Add the fault
            </button>
            <span role="status" class={isWrong ? 'bad' : ''}>
              {outcome ?? (isWrong ? summaryOf(problems) : '')}
            </span>
          </div>
          <Problem of={check.error ?? problem} />
          <Preview of={value} />
        </div>
      </div>
    </section>
  )
}

function Presets({ choose }: { choose: (value: FaultValue) => void }): ComponentChildren {
  return (
    <div class="line" role="group" aria-label="Presets">
      {Object.entries(PRESETS).map(([name, value]) => (
        <button key={name} type="button" onClick={() => choose(value)}>
          {name}
        </button>
      ))}
    </div>
  )
}

interface KindFieldProps {
  of: readonly string[]
  kind: string
  change: (kind: string) => void
}

function KindField({ of: kinds, kind, change }: KindFieldProps): ComponentChildren {
  return (
    <div class="schema-field">
      <label for="fault-kind">fault</label>
      <select
        id="fault-kind"
        value={kind}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      >
        {kinds.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

interface FaultFieldsProps {
  kinds: ReadonlyMap<string, JsonSchema>
  value: FaultValue
  problems: readonly TextProblem[]
  change: (value: FaultValue) => void
}

/** The fields of the kind, those of every fault, and what is wrong with none of them. */
function FaultFields({ kinds, value, problems, change }: FaultFieldsProps): ComponentChildren {
  const jobs = useLive((live) => live.jobs)
  const completions = useMemo(
    () => ({ model: [...new Set([...jobs.values()].map((job) => job.model.name))] }),
    [jobs],
  )
  const name = String(value['fault'])
  const { description, properties = {}, required = [] } = kinds.get(name) ?? {}
  const { fault: _fault, ...fields } = properties
  const common = commonFields(kinds)
  const own = only(fields, (each) => !common.has(each))
  const shared = only(fields, (each) => common.has(each))
  const draw = (among: Readonly<Record<string, JsonSchema>>, key?: string): ComponentChildren => (
    <SchemaFields
      key={key}
      fields={among}
      required={required}
      place=""
      value={only(value, (each) => each in among)}
      context={{ problems, completions }}
      onChange={(part) => change({ ...only(value, (each) => !(each in among)), ...part })}
    />
  )
  return (
    <>
      <p class="help">{description}</p>
      {draw(own, name)}
      <details open>
        <summary>Which calls, and when</summary>
        {draw(shared)}
      </details>
      {problems
        .filter(({ place }) => place === '' || !isField(place, fields))
        .map(({ message, place }) => (
          <p key={message} class="bad wrong">
            {place !== '' && `${place}: `}
            {message}
          </p>
        ))}
    </>
  )
}

function only<T>(
  record: Readonly<Record<string, T>>,
  isWanted: (name: string) => boolean,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => isWanted(name)))
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

/** The values that another kind of fault has as well. */
function keptFor(kind: JsonSchema | undefined, name: string, value: FaultValue): FaultValue {
  const { properties = {} } = kind ?? {}
  const kept = only(value, (each) => each !== 'fault' && each in properties)
  return { fault: name, ...kept }
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
