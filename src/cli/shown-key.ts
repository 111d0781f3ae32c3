import type { Emulator } from '../emulator/emulator.js'

/** Keys of at least this length may be real ones. */
const SECRET_LENGTH = 20

/**
 * Shows the API key of a world of `--isolate`. Of a long key, only the start and the end are shown. Of a
 * configured key, only the end.
 */
export function shownKey({ apiKey: key, scenario }: Pick<Emulator, 'apiKey' | 'scenario'>): string {
  if (scenario.auth.keys !== undefined)
    return `…${key.slice(-Math.min(4, Math.floor(key.length / 3)))}`
  return key.length < SECRET_LENGTH ? key : `${key.slice(0, 4)}…${key.slice(-4)}`
}
