import type { ComponentChildren } from 'preact'
import { call } from '../data/control.js'
import type { FormField } from '../kit/field-values.js'
import { useRecords, useReload, type Listing } from '../kit/records.js'
import { RowForm } from '../kit/row-form.js'
import { column } from '../kit/value.js'
import { Confirm } from '../parts/confirm.js'

interface Secret {
  name: string
}

/** The secrets by name. Nothing shows their values. */
export const SECRETS: Listing<Secret> = {
  title: 'Secrets',
  thing: 'secret',
  useRows: () =>
    useRecords(
      async () => (await call('GET /secrets')).secrets.map((name) => ({ name })),
      ['note'],
    ),
  keyOf: ({ name }) => name,
  columns: [
    column('name', { heading: 'Secret', look: 'w-grow mono' }),
    ['Change', 'w-acts', (secret) => <RemoveButton {...secret} />],
  ],
  find: 'Name',
  Above: SecretForm,
  Empty: () => <p>No secrets. Deliveries are not signed without one.</p>,
}

function RemoveButton({ name }: Secret): ComponentChildren {
  return (
    <Confirm
      label="Remove"
      name={`Remove the secret ${name}`}
      question="Webhooks that sign with it send unsigned deliveries from then on."
      act={() => call('DELETE /secrets/{name}', { params: { name } })}
      done={useReload()}
    />
  )
}

const FIELDS: readonly FormField[] = [
  { place: 'name', label: 'Name of the secret', example: 'WEBHOOK_SECRET' },
  {
    place: 'value',
    label: 'Value',
    type: 'password',
    exact: true,
    hint: 'Nothing shows it again.',
  },
]

/** Adds or rotates a secret. The field is emptied at once: nothing shows the value again. */
function SecretForm(): ComponentChildren {
  return <RowForm row="POST /secrets" label="Set a secret" submit="Set secret" fields={FIELDS} />
}
