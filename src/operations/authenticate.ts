import { apiErrors, type ApiError } from '../contract/errors.js'
import { LOCAL_ACCOUNT, type Account } from '../engine/account.js'
import type { AuthRules } from '../engine/scenario.js'
import type { Operation } from './operation.js'

const BEARER = /^bearer +(\S.*)$/i

/** Who asks, or the refusal. The scheme's case does not matter (contract-facts section 2). */
export function authenticate(
  header: string | undefined,
  rules: AuthRules,
  { auth, host }: Pick<Operation, 'auth' | 'host'>,
): Account | ApiError {
  const key = header === undefined ? undefined : BEARER.exec(header)?.[1]?.trim()
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

function isOpen(auth: Operation['auth'], { open }: AuthRules): boolean {
  if (auth === 'health' || auth === 'system-check') return open.includes(auth)
  return auth === 'open'
}
