import { payloadVariables } from './payload-template.js'

/** Completes "expected …" in error messages. */
export const SECRET_NAME_WORDS =
  'a name of letters, digits and underscores that is not a variable of payloads, and no name of JavaScript such as constructor'

/** Variables of payloads that stand for a secret of any name. */
const OF_SECRETS: readonly string[] = ['ACCESS_TOKEN', 'SECRET_NAME']

/** The form of the names that secrets can have. */
export const SECRET_NAME = /^[A-Za-z_]\w*$/

/** Whether a secret can have that name. In a payload, it is a variable; in the emulator, it is a key of an object. */
export function mayNameSecret(name: string): boolean {
  if (!SECRET_NAME.test(name) || name in Object.prototype) return false
  return OF_SECRETS.includes(name) || !payloadVariables.some((each) => each === name)
}
