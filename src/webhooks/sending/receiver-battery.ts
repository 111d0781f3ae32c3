/** One delivery of a check, with what is wrong about it. */
export interface Trial {
  /** The body that is signed. */
  readonly signed: string
  /** The body that is sent, if it is another one. */
  readonly sent?: string
  /** The secret, if it is another one; null for no signature. */
  readonly secret?: string | null
  /** The value of the signature header instead. */
  readonly signature?: string
  /** The access token, if it is another one; null for none. */
  readonly token?: string | null
  /** How long ago it was signed, in milliseconds. */
  readonly age?: number
  /** Trials with the same value have the same delivery id. */
  readonly delivery?: string
}

export interface Rule {
  readonly id: string
  /** In words, what a good receiver does. */
  readonly text: string
  readonly expects: 'accept' | 'refuse'
  readonly trials: readonly Trial[]
  /** Whether a receiver that breaks it would pass half of the others, which says nothing. */
  readonly isPrecondition?: true
  /** What a receiver expects instead that breaks it: another signature, or one over another body. */
  readonly findsOut?: 'signature' | 'body'
  /** Why it can't be tried. */
  readonly skipped?: string | undefined
}

export interface RuleResult {
  readonly id: string
  /** What a good receiver does, in words. */
  readonly rule: string
  readonly result: 'pass' | 'fail' | 'skipped'
  /** What the receiver did instead, or why the rule was not tried. */
  readonly detail?: string | undefined
  /** What the receiver expects instead, as far as it could be found out, and how to correct it. */
  readonly hint?: string | undefined
}

export interface BatteryOptions {
  readonly payload: Readonly<Record<string, unknown>>
  readonly hasToken: boolean
  /** Whether signatures have a time. */
  readonly timestamped: boolean
}

/** The header that every delivery of a check has, so that receivers can recognize it. */
export const TEST_HEADER = 'Svtrain-Test'

/**
 * All variables that payloads may have. Receivers act on what they accept, so the names say that it is a
 * test: no receiver deploys an alias that it does not know.
 */
export const TEST_PAYLOAD = {
  event_type: 'ADD_ARTIFACT_ALIAS',
  event_author: 'svtrain-test',
  alias: 'svtrain-test',
  tag: '',
  artifact_version: 'artifact://_id/QXJ0aWZhY3Q6MQ==',
  artifact_version_string: 'svtrain-test/model-registry/svtrain-test:svtrain-test',
  artifact_collection_name: 'svtrain-test',
  project_name: 'model-registry',
  entity_name: 'svtrain-test',
} as const

const HOUR = 3_600_000

/** A secret that no receiver has, for both kinds of signatures. */
export const OTHER_SECRET = 'c29tZSBvdGhlciBzZWNyZXQ='

/** The good and the bad deliveries, in the order in which they are sent. */
export function receiverBattery(options: BatteryOptions): Rule[] {
  const { payload, hasToken, timestamped } = options
  const body = JSON.stringify(payload)
  return [
    {
      ...accepts('valid', 'accepts a valid delivery', [{ signed: body }]),
      isPrecondition: true,
      findsOut: 'signature',
    },
    rawBytesRule(payload),
    accepts('blank-variables', 'copes with variables that have no value', [
      { signed: JSON.stringify(blanked(payload)) },
    ]),
    accepts('unknown-fields', 'copes with fields that it does not know', [
      {
        signed: JSON.stringify({ ...payload, added_later: { by: ['the', 'service', null, 1.5] } }),
      },
    ]),
    accepts('duplicate', 'accepts the same delivery again', [
      { signed: body, delivery: 'duplicate' },
      { signed: body, delivery: 'duplicate' },
    ]),
    refuses('missing-signature', 'refuses a delivery without a signature', [
      { signed: body, secret: null },
    ]),
    refuses('wrong-secret', 'refuses a signature by another secret, or by an empty one', [
      { signed: body, secret: OTHER_SECRET },
      ...(timestamped ? [] : [{ signed: body, secret: '' }]),
    ]),
    alteredBodyRule(payload),
    refuses('malformed-signature', 'refuses malformed signatures without an error of its own', [
      { signed: body, signature: 'x' },
      { signed: body, signature: 'sha256=' },
      { signed: body, signature: '0'.repeat(64) },
      { signed: body, signature: 'é'.repeat(64) },
    ]),
    {
      ...refuses('wrong-token', 'refuses a missing and a wrong access token', [
        { signed: body, token: null },
        { signed: body, token: 'another-token' },
      ]),
      skipped: hasToken ? undefined : 'no --token was given',
    },
    {
      ...refuses('stale', 'refuses a signature that is an hour old', [{ signed: body, age: HOUR }]),
      skipped: timestamped ? undefined : 'a signature of this kind has no time in it',
    },
    accepts('still-valid', 'accepts a valid delivery after all of these', [{ signed: body }]),
  ]
}

function rawBytesRule(payload: BatteryOptions['payload']): Rule {
  const reversed = Object.fromEntries(Object.entries(payload).reverse())
  const bodies = [
    JSON.stringify(payload, null, 2),
    `${JSON.stringify(reversed).replace('{', '{ ')}\r\n`,
    JSON.stringify(payload).replaceAll(STRING, escapedOtherwise),
  ]
  const trials = bodies.map((signed) => ({ signed }))
  const text = 'verifies the bytes as they came, however the JSON is written'
  return { ...accepts('raw-bytes', text, trials), findsOut: 'body' }
}

/** A string of JSON, with its quotes. */
const STRING = /"(?:[^"\\]|\\.)*"/g

/** The same string of JSON with escapes that few writers make. */
function escapedOtherwise(string: string): string {
  return string.replaceAll(/\\(?:u[\da-f]{4}|.)|[/e]/g, (part) => {
    if (part === '/') return String.raw`\/`
    return part === 'e' ? String.raw`\u0065` : part
  })
}

/** Each of its bodies differs from the one that was signed, whatever the payload is. */
function alteredBodyRule(payload: BatteryOptions['payload']): Rule {
  const body = JSON.stringify(payload)
  const [event = ''] = ['CREATE_ARTIFACT', 'RUN_STATE'].filter(
    (type) => type !== payload['event_type'],
  )
  const trials = [
    { signed: body, sent: JSON.stringify({ ...payload, event_type: event }) },
    { signed: body, sent: `${body} ` },
    { signed: '{}', sent: body },
  ].filter(({ signed, sent }) => signed !== sent)
  return refuses('altered-body', 'refuses a body that was altered after it was signed', trials)
}

function accepts(id: string, text: string, trials: readonly Trial[]): Rule {
  return { id, text, expects: 'accept', trials }
}

function refuses(id: string, text: string, trials: readonly Trial[]): Rule {
  return { id, text, expects: 'refuse', trials }
}

function blanked(value: unknown): unknown {
  if (typeof value === 'string') return ''
  if (Array.isArray(value)) return value.map(blanked)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, blanked(inner)]))
}
