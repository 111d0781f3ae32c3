import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { BodyOf } from '../../emulator/control/client/call.js'
import { call } from '../data/control.js'
import { useLive } from '../data/use-live.js'
import { yamlText } from '../data/yaml-text.js'
import type { Values } from '../kit/fields.js'
import { Form, type FormShape } from '../kit/form.js'
import { variantsBy, type JsonSchema } from '../kit/json-schema.js'
import { CopyButton } from '../parts/copy-button.js'

/** Faults that people often need. Each fills the form. */
const PRESETS: Readonly<Record<string, Values>> = {
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
  const jobs = useLive((live) => live.jobs)
  const known = useMemo(
    () => ({ model: [...new Set([...jobs.values()].map((job) => job.model.name))] }),
    [jobs],
  )
  return (
    <section class="fault-form" aria-label="New fault">
      <h2>New fault</h2>
      <Form<BodyOf<'POST /faults'>>
        label="New fault"
        submit="Add the fault"
        shapeOf={({ fault }) => ({ ...shapeOf(String(fault), kinds), known })}
        start={{ fault: 'status', status: 503 }}
        presets={PRESETS}
        part="faults"
        send={async (body) => {
          const { id, name, fault } = await call('POST /faults', { body })
          added()
          return `Added ${name ?? id} (${fault}). It is open. Close or remove it in the list above.`
        }}
        beside={(body) => <Preview of={body} />}
      />
    </section>
  )
}

/** The kind, and its own fields. Those of every fault are in a part of their own. */
function shapeOf(name: string, kinds: ReadonlyMap<string, JsonSchema>): FormShape {
  const { description, properties = {}, required = [] } = kinds.get(name) ?? {}
  const fault = { type: 'string', enum: [...kinds.keys()], ...(description && { description }) }
  const common = commonFields(kinds)
  const own = Object.keys(properties).filter((each) => each !== 'fault' && !common.has(each))
  return {
    schema: { properties: { ...properties, fault }, required: [...required, 'fault'] },
    fields: [{ place: 'fault', label: 'fault', wide: true }, ...own.map((place) => ({ place }))],
    others: 'Which calls, and when',
  }
}

/** The fault as text, for a scenario and for a call. */
function Preview({ of: value }: { of: Values }): ComponentChildren {
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
