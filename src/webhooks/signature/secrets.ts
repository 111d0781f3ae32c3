import { isObject, listOf, recordOf, aSecret, type Kind } from '../../base/text/options.js'
import { aWebhookSecret } from '../../base/text/webhook-secret.js'

/**
 * One secret, several (while one replaces another), or several by name. Messages show the label of a
 * secret, never the secret.
 */
export type Secrets = string | readonly string[] | Readonly<Record<string, string>>

export const secretsOption = secretsOf(aWebhookSecret)

/** Secrets that may have been used by mistake: any text. */
export const knownSecrets = secretsOf(aSecret)

function secretsOf(kind: Kind): Kind {
  return {
    check(value, place) {
      if (Array.isArray(value)) listOf(kind).check(value, place)
      else if (isObject(value)) recordOf(kind).check(value, place)
      else if (typeof value === 'string' || value === undefined) kind.check(value, place)
      else place.refuse('is not a string, a list of strings, or an object with strings.')
    },
  }
}

export interface LabeledSecret {
  /** How messages name it: `the secret`, `secret 2`, `secret "previous"`. */
  readonly label: string
  readonly secret: string
}

export function labeledSecrets(secrets: Secrets | undefined): LabeledSecret[] {
  if (secrets === undefined) return []
  if (typeof secrets === 'string') return [{ label: 'the secret', secret: secrets }]
  if (!Array.isArray(secrets)) {
    return Object.entries(secrets).map(([name, secret]: [string, string]) => {
      return { label: `secret ${JSON.stringify(name)}`, secret }
    })
  }
  const [only, second] = secrets as readonly string[]
  if (only !== undefined && second === undefined) return labeledSecrets(only)
  return (secrets as readonly string[]).map((secret, index) => {
    return { label: `secret ${index + 1}`, secret }
  })
}
