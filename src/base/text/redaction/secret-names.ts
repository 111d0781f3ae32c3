import { compiledOnce } from '../compiled-once.js'

/**
 * Where a name stands. Some names are those of secrets in a header or a query only: the `code` of a JSON body is
 * that of an error. The name of a variable of the environment may go on after the word that tells:
 * `DB_PASSWORD_PROD`, `API_KEY_2`.
 */
export type NamePlace = 'header' | 'query' | 'field' | 'variable'

/** An end of a name whose value is a secret, in words of lower case with `_` between them. */
interface SecretEnd {
  /** A pattern of it. */
  readonly end: string
  /** What each such name has in it. Undefined: texts are not searched for it, because it is an ordinary word. */
  readonly hint?: string
  /** Whether letters may stand before it, as in `clientsecret`. Default: no, as `key` is no end of `monkey`. */
  readonly isPart?: true
  /** Where it is a secret. Default: everywhere. */
  readonly places?: readonly NamePlace[]
  /** Whether an object or a list with such a name is hidden as a whole. Default: each field in it is judged. */
  readonly holds?: true
}

const KEYS =
  'api_?key|access_?key(?:_?id)?|(?:private|secret|subscription|signing|encryption|master|account|shared)_?key'
/** In a body, they are names of ordinary fields. */
const CALLS = ['header', 'query'] as const

const SECRET_ENDS: readonly SecretEnd[] = [
  { end: `(?:${KEYS})s?`, hint: 'key', isPart: true, holds: true },
  { end: 'secrets?', hint: 'secret', isPart: true, holds: true },
  { end: 'passw(?:or)?ds?|passphrases?', hint: 'pass', isPart: true, holds: true },
  { end: 'credentials?', hint: 'credential', isPart: true, holds: true },
  { end: 'authorization', hint: 'auth', isPart: true, holds: true },
  { end: 'authentication', hint: 'auth', isPart: true },
  { end: 'cookies?', hint: 'cookie', isPart: true, holds: true },
  {
    end: '(?:access|refresh|auth|id|session|security|bearer)_?token',
    hint: 'token',
    isPart: true,
  },
  { end: 'client_assertion', hint: 'assertion', isPart: true },
  { end: 'jwt', hint: 'jwt', isPart: true },
  { end: 'sig', hint: 'sig' },
  { end: 'token', hint: 'token' },
  { end: 'pwd', hint: 'pwd' },
  { end: 'auth', hint: 'auth' },
  { end: 'assertion', hint: 'assertion' },
  { end: 'key', hint: 'key', places: CALLS },
  { end: 'code', places: CALLS },
  { end: 'session|session_?id', hint: 'session', places: CALLS },
  { end: 'sid', hint: 'sid', places: CALLS },
  { end: 'keys?', hint: 'key', places: ['variable'] },
  { end: 'tokens', hint: 'token', places: ['variable'] },
  // It lets everybody use an address. One in a header fits only the body that it came with.
  { end: 'signature', hint: 'sig', isPart: true, places: ['query', 'field'] },
]

function patternOf(ends: readonly SecretEnd[]): RegExp {
  const all = ends.map(({ end, isPart }) => (isPart ? `(?:${end})` : `(?:^|_)(?:${end})`))
  return new RegExp(`(?:${all.join('|')})$`)
}

function patternIn(place: NamePlace): RegExp {
  return patternOf(SECRET_ENDS.filter(({ places }) => places?.includes(place) ?? true))
}

const ENDS_IN: Readonly<Record<NamePlace, RegExp>> = {
  header: patternIn('header'),
  query: patternIn('query'),
  field: patternIn('field'),
  variable: patternIn('variable'),
}

const HOLDING_ENDS = patternOf(SECRET_ENDS.filter(({ holds }) => holds))

/** The most characters of a name that is found in a text. */
export const LONGEST_NAME_IN_TEXT = 80

/** What names of secrets have in them. A text without any of these has no such name, and needs no closer search. */
export const HINT_OF_SECRET_NAME = new RegExp(
  [...new Set(SECRET_ENDS.flatMap(({ hint }) => hint ?? []))].join('|'),
  'i',
)

/** Names that end like those, but whose values are none. */
const ORDINARY =
  /(?:(?:idempotency|sec_websocket|sort|primary|foreign|partition|cache|public)_keys?|(?:max|min|new|total|prompt|completion|input|output)_tokens|(?:page|next|continuation|cursor|bos|eos|pad|unk|sep|cls|mask|stop|start|end|special|image)_token)$/

/** Whether all values of an object or a list with the name of a secret are secrets. */
export function holdsSecrets(name: string): boolean {
  return HOLDING_ENDS.test(wordsOf(name))
}

/** A longer name is judged each time, so that what is known stays small. */
const LONGEST_JUDGED_ONCE = 100
const judgedOnce: Readonly<Record<NamePlace, (name: string) => boolean>> = {
  header: compiledOnce((name) => judge(name, 'header')),
  query: compiledOnce((name) => judge(name, 'query')),
  field: compiledOnce((name) => judge(name, 'field')),
  variable: compiledOnce((name) => judge(name, 'variable')),
}

/**
 * Whether a header, a parameter of a query, a field of a body, or a variable with this name holds a secret. `apiKey`
 * and `X-Api-Key` are `api_key`.
 */
export function isSecretName(name: string, place: NamePlace): boolean {
  return name.length > LONGEST_JUDGED_ONCE ? judge(name, place) : judgedOnce[place](name)
}

function judge(name: string, place: NamePlace): boolean {
  const words = wordsOf(name)
  if (place !== 'variable') return isSecret(words, place)
  const parts = words.split('_').map((word) => word.replace(/\d+$/, ''))
  return parts.some((_, index) => isSecret(parts.slice(0, index + 1).join('_'), place))
}

function wordsOf(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z\d]+/g, '_')
    .toLowerCase()
}

/** Whether words that end here are the name of a secret. */
function isSecret(words: string, place: NamePlace): boolean {
  return !ORDINARY.test(words) && ENDS_IN[place].test(words)
}
