import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { newSecret } from '../../base/random/secret.js'
import { codeOf } from './folder-errors.js'

/**
 * Returns the secret in a file of a locked folder. If the file is missing or empty, it is written with a new one. A
 * secret that cannot be read or written lasts as long as the process.
 */
export function secretIn(file: string): string {
  const secret = newSecret()
  try {
    const known = readFileSync(file, 'utf8')
    if (known !== '') return known
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return secret
  }
  tryToWrite(file, secret)
  return secret
}

/** The file has its name only when the whole secret is in it. */
function tryToWrite(file: string, secret: string): void {
  const draft = `${file}.new`
  try {
    writeFileSync(draft, secret, { mode: 0o600 })
    renameSync(draft, file)
  } catch {
    // A full disk refuses the contents anyway, and says so.
  }
}
