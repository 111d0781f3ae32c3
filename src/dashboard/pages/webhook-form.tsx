import type { ComponentChildren } from 'preact'
import type { ControlWebhook as Webhook } from '../../emulator/control/schemas.js'
import { call } from '../data/control.js'
import { focusOnce } from '../parts/focus-once.js'
import { Field, jsonField, placed } from '../parts/field.js'
import { fieldText, Problem, useAction } from '../parts/use-action.js'

const FIELDS = [
  'name',
  'url',
  'secret',
  'access_token',
  'signature',
  'timeout',
  'retries',
  'adversary',
]

interface WebhookFormProps {
  /** The webhook to change. Default: a new one. */
  webhook: Webhook | undefined
  /** The names of the secrets. */
  secrets: readonly string[]
  done: () => void
  cancel: () => void
}

/** Adds or changes a webhook. */
export function WebhookForm({
  webhook,
  secrets,
  done,
  cancel,
}: WebhookFormProps): ComponentChildren {
  const { busy, run, problem } = useAction()
  const { fields, rest } = placed(problem, FIELDS)
  const { signature } = webhook ?? {}
  const save = (form: HTMLFormElement): void =>
    run(async () => {
      await call('POST /webhooks', { body: bodyOf(form, webhook) })
      done()
    })
  return (
    <form
      class="actions fields"
      aria-label={webhook ? `Change ${webhook.name}` : 'New webhook'}
      onSubmit={(event) => {
        event.preventDefault()
        save(event.currentTarget)
      }}
    >
      <Field label="Name" problem={fields['name']}>
        {(attributes) => (
          <input
            {...attributes}
            name="name"
            required
            defaultValue={webhook?.name ?? ''}
            readOnly={webhook !== undefined}
            placeholder="deploy"
            ref={webhook ? null : focusOnce}
          />
        )}
      </Field>
      <Field label="URL" problem={fields['url']} hint="Default: the --webhook URL, or the sink.">
        {(attributes) => (
          <input
            {...attributes}
            name="url"
            class="mono"
            defaultValue={webhook?.url ?? ''}
            placeholder="http://127.0.0.1:8080/hooks"
            ref={webhook ? focusOnce : null}
          />
        )}
      </Field>
      <SecretField
        label="Secret that signs"
        name="secret"
        chosen={webhook?.secret}
        secrets={secrets}
        problem={fields['secret']}
      />
      <SecretField
        label="Secret sent as access token"
        name="access_token"
        chosen={webhook?.access_token}
        secrets={secrets}
        problem={fields['access_token']}
      />
      <Field label="Header of the signature" problem={fields['signature']}>
        {(attributes) => (
          <input
            {...attributes}
            name="header"
            defaultValue={signature?.header ?? ''}
            placeholder="X-Service-Signature"
          />
        )}
      </Field>
      <Field label="Prefix">
        {(attributes) => (
          <input
            {...attributes}
            name="prefix"
            defaultValue={signature?.prefix ?? ''}
            placeholder="sha256="
          />
        )}
      </Field>
      <Field label="Encoding">
        {(attributes) => (
          <select {...attributes} name="encoding">
            <option>hex</option>
            <option selected={signature?.encoding === 'base64'}>base64</option>
          </select>
        )}
      </Field>
      <Field label="Timeout" problem={fields['timeout']}>
        {(attributes) => (
          <input
            {...attributes}
            name="timeout"
            defaultValue={webhook?.timeout ?? ''}
            placeholder="10s"
          />
        )}
      </Field>
      <Field label="Retries" problem={fields['retries']} hint="Such as 1s, 10s.">
        {(attributes) => (
          <input
            {...attributes}
            name="retries"
            defaultValue={webhook?.retries.join(', ') ?? ''}
            placeholder="none"
          />
        )}
      </Field>
      <div class="line">
        <label>
          <input type="checkbox" name="standard" defaultChecked={signature?.standard ?? false} />{' '}
          headers of Standard Webhooks
        </label>
      </div>
      <Field
        label="adversary, as JSON"
        wide
        problem={fields['adversary']}
        hint="What goes wrong with deliveries."
      >
        {(attributes) => (
          <textarea
            {...attributes}
            name="adversary"
            class="mono"
            defaultValue={webhook?.adversary.length ? JSON.stringify(webhook.adversary) : ''}
            placeholder={'[{"do": "duplicate"}]'}
          />
        )}
      </Field>
      <div class="line">
        <button disabled={busy}>{webhook ? 'Save' : 'Add webhook'}</button>
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      </div>
      <Problem of={rest} />
    </form>
  )
}

interface SecretFieldProps {
  label: string
  name: string
  chosen: string | undefined
  secrets: readonly string[]
  problem: string | undefined
}

function SecretField({
  label,
  name,
  chosen,
  secrets,
  problem,
}: SecretFieldProps): ComponentChildren {
  const names = chosen === undefined || secrets.includes(chosen) ? secrets : [chosen, ...secrets]
  return (
    <Field label={label} problem={problem}>
      {(attributes) => (
        <select {...attributes} name={name}>
          <option value="">none</option>
          {names.map((each) => (
            <option key={each} selected={each === chosen}>
              {each}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** The webhook as in a scenario. What is left empty gets its default. */
function bodyOf(form: HTMLFormElement, before: Webhook | undefined): Record<string, unknown> {
  const texts = (names: readonly string[]): object =>
    Object.fromEntries(
      names.map((name) => [name, fieldText(form, name)]).filter(([, text]) => text !== ''),
    )
  const adversary = jsonField(fieldText(form, 'adversary'), 'adversary', 'list')
  const timestamps = before?.signature.timestamps
  return {
    ...texts(['name', 'url', 'secret', 'access_token', 'timeout']),
    signature: {
      ...texts(['header', 'prefix', 'encoding']),
      standard: new FormData(form).has('standard'),
      ...(timestamps && { timestamps }),
    },
    retries: fieldText(form, 'retries')
      .split(/[\s,]+/)
      .filter(Boolean),
    ...(adversary && { adversary }),
  }
}

/** Adds or rotates a secret. The field is emptied at once: nothing shows the value again. */
export function SecretForm({ reload }: { reload: () => void }): ComponentChildren {
  const { busy, run, problem } = useAction()
  const { fields, rest } = placed(problem, ['name', 'value'])
  return (
    <form
      class="actions fields"
      aria-label="Set a secret"
      onSubmit={(event) => {
        event.preventDefault()
        const form = event.currentTarget
        // A space at the end belongs to the secret.
        const value = form.querySelector<HTMLInputElement>('input[name="value"]')!.value
        const name = fieldText(form, 'name')
        run(async () => {
          await call('POST /secrets', { body: { name, value } })
          form.reset()
          reload()
        })
      }}
    >
      <Field label="Name of the secret" problem={fields['name']}>
        {(attributes) => (
          <input {...attributes} name="name" required placeholder="WEBHOOK_SECRET" class="mono" />
        )}
      </Field>
      <Field label="Value" problem={fields['value']} hint="Nothing shows it again.">
        {(attributes) => (
          <input {...attributes} name="value" type="password" autocomplete="off" required />
        )}
      </Field>
      <button disabled={busy}>Set secret</button>
      <Problem of={rest} />
    </form>
  )
}
