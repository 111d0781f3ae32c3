import { readFileSync, writeFileSync } from 'node:fs'
import { newSecret } from '../../base/random/secret.js'
import { codeOf } from './folder-errors.js'

/**
 * Returns the secret in a file, which is created with a new one if it is missing. A secret that cannot be written
 * lasts as long as the process.
 */
export function secretIn(file: string): string {
  try {
    return readFileSync(file, 'utf8') || newSecret()
  } catch (error) {
    const secret = newSecret()
    if (codeOf(error) === 'ENOENT') tryToWrite(file, secret)
    return secret
  }
}

function tryToWrite(file: string, secret: string): void {
  try {
    writeFileSync(file, secret, { mode: 0o600, flag: 'wx' })
  } catch {
    // A full disk refuses the contents anyway, and says so.
  }
}
