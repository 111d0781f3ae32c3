import type { Call } from '../../emulator/control/client/call.js'
import type { ControlWebhook } from '../../emulator/control/schemas/webhooks.js'
import { firstFree } from '../../base/text/first-free.js'
import { partProblem } from '../../emulator/control/unknown-names.js'
import { optional, required } from '../../service/contract/pydantic/fields.js'
import { string } from '../../service/contract/pydantic/scalars.js'
import { Redactor } from '../../base/text/redaction/redact.js'
import { linesText } from './paged.js'
import { CHANGES, tool, ToolError } from './tool.js'

/** Describes webhooks, a line for each, with the names of their secrets. */
export function webhookLines({ webhooks }: { webhooks: readonly ControlWebhook[] }): string[] {
  return webhooks.map(({ name, url, secret, disabled }) => {
    const to = url === null ? 'without a URL' : `to ${url}`
    const signed = secret === undefined ? 'not signed' : `signed with the secret ${secret}`
    return `${name} ${to}, ${signed}${disabled === null ? '' : `, disabled: ${disabled}`}`
  })
}

/** The tool that mends a webhook whose URL or secret is wrong. The other parts of the webhook stay. */
export const webhookTool = tool({
  name: 'set_webhook',
  description: 'Changes a webhook, or enables it. Then resend_deliveries.',
  input: {
    webhook: required(string, { description: 'A name of list_webhooks.' }),
    url: optional(string, { description: 'Its new URL, or the same after a 410.' }),
    secret: optional(string, { description: 'Its new secret. No tool shows it.' }),
  },
  annotations: CHANGES,
  async run({ webhook: name, url, secret: value }, { call }) {
    if ((url ?? value) === undefined) throw new ToolError('Pass "url", "secret", or both.')
    const { webhooks } = await call('GET /webhooks')
    const found = webhooks.find((each) => each.name === name)
    if (!found) throw new ToolError(partProblem('webhook', name, webhooks)!.message)
    const { secret = await newSecretFor(name, call) } = found
    if (value !== undefined) await call('POST /secrets', { body: { name: secret, value } })
    const signed = value === undefined ? {} : { secret }
    if (url !== undefined || found.secret === undefined) {
      await call('POST /webhooks', { body: { name, url, ...signed } })
    }
    const lines = webhookLines(await call('GET /webhooks'))
    return new Redactor({ secrets: value === undefined ? [] : [value] }).redact(linesText(lines))
  },
})

/** A name that no secret has, so that no other webhook gets the value. */
async function newSecretFor(webhook: string, call: Call): Promise<string> {
  const { secrets } = await call('GET /secrets')
  const wanted = `SECRET_${webhook.replaceAll(/\W+/g, '_').toUpperCase()}`
  return firstFree(wanted, '_', (name) => secrets.includes(name))
}
