import { charactersOf } from '../../base/text/bytes.js'
import { apiErrors, type ApiError } from '../contract/errors.js'
import { LOCAL_ACCOUNT, type Account } from '../scenario/account.js'
import type { AuthRules } from '../scenario/scenario.js'
import type { Operation } from './operation.js'

/** The scheme ends at the first space. Other white space may come before the key. */
const BEARER = /^bearer (.*)$/is

/** The key of an `Authorization` header. The case of the scheme does not matter. */
export function keyOf(header: string | undefined): string | undefined {
  const key = BEARER.exec(header ?? '')?.[1]?.trim()
  return key === '' ? undefined : key
}

/** The key of a header that may have it as a password, too: `Basic`, with any name. */
export function keyOrPasswordOf(header: string | undefined): string | undefined {
  const [, pair] = /^basic +(\S+)\s*$/is.exec(header ?? '') ?? []
  if (pair === undefined) return keyOf(header)
  const [name = '', ...rest] = charactersOf(pair).split(':')
  // A client may send the key as the name, without a password.
  const key = rest.join(':').trim() || name.trim()
  return key === '' ? undefined : key
}

/** The account of a request, or the refusal. */
export function authenticate(
  header: string | undefined,
  rules: AuthRules,
  { auth, host }: Pick<Operation, 'auth' | 'host'>,
): Account | ApiError {
  if (auth === 'platform') return platformAccount(header, rules)
  const key = keyOf(header)
  if (key === undefined) {
    if (isOpen(auth, rules)) return { key: '', ...LOCAL_ACCOUNT }
    if (rules.missingStatus === 401 || host === 'inference') return apiErrors.notAuthenticated(host)
    const absent = header === undefined || header === ''
    return apiErrors.forbiddenWithoutKey(
      absent ? 'Not authenticated' : 'Invalid authentication credentials',
    )
  }
  if (rules.keys === undefined) return { key, ...LOCAL_ACCOUNT }
  if (Object.hasOwn(rules.keys, key)) return { key, ...rules.keys[key]! }
  return isOpen(auth, rules) ? { key: '', ...LOCAL_ACCOUNT } : apiErrors.notAuthenticated(host)
}

function platformAccount(header: string | undefined, { keys }: AuthRules): Account | ApiError {
  const key = keyOrPasswordOf(header)
  if (key === undefined) return apiErrors.noPlatformKey('The call has no API key.')
  if (keys === undefined) return { key, ...LOCAL_ACCOUNT }
  if (Object.hasOwn(keys, key)) return { key, ...keys[key]! }
  return apiErrors.noPlatformKey('The API key is not one that the emulator accepts.')
}

function isOpen(auth: Operation['auth'], { open }: AuthRules): boolean {
  if (auth === 'health' || auth === 'system-check') return open.includes(auth)
  return auth === 'open'
}

/** The key of a request; undefined if it is not accepted. */
export function acceptedKey(
  authorization: string | undefined,
  { keys }: AuthRules,
): string | undefined {
  const key = keyOrPasswordOf(authorization)
  const isAccepted = key !== undefined && (keys === undefined || Object.hasOwn(keys, key))
  return isAccepted ? key : undefined
}
