import { EmulatorError } from './emulator-error.js'
import { removedExports, removedText, removedVariables, type Names } from './removed.js'

/** Thrown for a name that was removed. The message says what to do now. Code `SVTRAIN_REMOVED`. */
export class RemovedError extends EmulatorError {
  override readonly name = 'RemovedError'
  readonly code = 'SVTRAIN_REMOVED'
}

/**
 * Makes an object refuse the names of properties that it once had. Lists, comparisons and prints of the object do
 * not show them. A name that it still has stays.
 *
 * @param owner How users write the object, such as `emulator`.
 */
export function refuseRemoved(object: object, names: Names, owner: string): void {
  for (const name of Object.keys(names)) {
    if (name in object) continue
    const get = refusalOf(removedText(names, name, `${owner}.${name}`)!)
    Object.defineProperty(object, name, { get, configurable: true })
  }
}

/** What stands for an export that was removed: to call it, to construct it or to compare with it throws. */
export function removedExport(name: string): never {
  const refuse = refusalOf(removedText(removedExports, name)!)
  return Object.defineProperty(refuse, Symbol.hasInstance, { value: refuse }) as never
}

/**
 * Refuses variables that were removed, except for those of the command: only the command ever read them.
 *
 * @throws {RemovedError} When one of them is set.
 */
export function refuseRemovedVariables(
  environment: Readonly<Record<string, string | undefined>>,
): void {
  for (const name of Object.keys(removedVariables)) {
    const { [name]: text = '' } = environment
    if (text === '' || name.startsWith('SVTRAIN_EMULATOR_')) continue
    throw new RemovedError(removedText(removedVariables, name))
  }
}

function refusalOf(text: string): () => never {
  // Not an arrow function, because users may construct it.
  return function refuse() {
    throw new RemovedError(text)
  }
}
