import { withoutCredentials } from '../../base/text/redaction/credentials.js'

/** A webhook that a restored world had. Those of options are not saved. */
export interface MissingWebhook {
  readonly name: string
  /** Where its latest delivery went. Null if it has none. */
  readonly url: string | null
}

/** How to name a webhook of options again. */
export const NAME_AGAIN =
  'Name it again, with its secret: --webhook, --sink, webhooks.add() or POST /_emulator/webhooks.'

/** Names a missing webhook: `"receiver" (http://127.0.0.1:3000/hook)`. */
export function missingName({ name, url }: MissingWebhook): string {
  return `"${name}"${url === null ? '' : ` (${withoutCredentials(url)})`}`
}

/** Says which webhooks of options a restored world lacks, and what to do. Undefined if there are none. */
export function missingWebhooksText(missing: readonly MissingWebhook[]): string | undefined {
  if (missing.length === 0) return undefined
  const names = missing.map(missingName).join(', ')
  return `Webhooks of options are not saved, so nothing is sent to ${names}. ${NAME_AGAIN}`
}
