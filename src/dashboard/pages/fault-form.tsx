import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { useLive } from '../data/use-live.js'
import { yamlText } from '../data/yaml-text.js'
import type { Values } from '../kit/field-values.js'
import { useReload } from '../kit/records.js'
import { RowForm } from '../kit/row-form.js'
import { CopyText } from '../parts/copy-button.js'
import { controlCurl } from '../parts/control-curl.js'

/** Faults that people often need. Each fills the form, which checks them: the API takes a fault as any object. */
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

/** A form for a new fault. Its fields come from the schema of scenarios, and it is checked while one types. */
export function FaultForm(): ComponentChildren {
  const reload = useReload()
  const jobs = useLive((live) => live.jobs)
  const known = useMemo(
    () => ({ model: [...new Set([...jobs.values()].map((job) => job.model.name))] }),
    [jobs],
  )
  return (
    <section class="fault-form" aria-label="New fault">
      <h2>New fault</h2>
      <RowForm
        row="POST /faults"
        label="New fault"
        submit="Add the fault"
        by="fault"
        others="Which calls, and when"
        known={known}
        start={{ fault: 'status', status: 503 }}
        presets={PRESETS}
        part="faults"
        done={({ id, name, fault }) => {
          reload()
          return `Added ${name ?? id} (${fault}). It is open. Close or remove it in the list above.`
        }}
        beside={(body) => <Preview of={body} />}
      />
    </section>
  )
}

/** The fault as text, for a scenario and for a call. */
function Preview({ of: value }: { of: Values }): ComponentChildren {
  const yaml = `faults:\n${yamlText([value], '  ')}`
  return (
    <>
      <CopyText
        title="In a scenario"
        text={yaml}
        what="as scenario YAML"
        region="The fault as YAML"
      />
      <CopyText
        title="As a control call"
        text={controlCurl('faults', value)}
        what="as control call"
      />
    </>
  )
}
