import { UsageError } from '../../usage-error.js'

/**
 * Returns the value of an option that a recording needs.
 *
 * @throws {UsageError} When it was not given.
 */
export function needed(name: 'to' | 'training-url', value: string | undefined): string {
  if (value !== undefined) return value
  throw new UsageError(
    `record needs --${name}, which was not given. For example: svtrain-emulator record --to recording --training-url https://api.example.com/v1`,
  )
}
