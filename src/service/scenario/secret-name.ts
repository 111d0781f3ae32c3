import { payloadVariables, SECRET_VARIABLES } from './payload-template.js'

/** Completes "expected …" in error messages. */
export const SECRET_NAME_WORDS =
  'a name of letters, digits and underscores that is not a variable of payloads, and no name of JavaScript such as constructor'

/** The form of the names that secrets can have. */
export const SECRET_NAME = /^[A-Za-z_]\w*$/

/** Whether a secret can have that name. In a payload, it is a variable; in the emulator, it is a key of an object. */
export function mayNameSecret(name: string): boolean {
  if (!SECRET_NAME.test(name) || name in Object.prototype) return false
  const isOfSecrets = SECRET_VARIABLES.some((each) => each === name)
  return isOfSecrets || !payloadVariables.some((each) => each === name)
}
