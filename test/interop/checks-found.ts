import type { Emulator } from '../../src/index.js'
import { findingsIn } from '../../src/emulator/testing/client-checks.js'
import type { CheckName } from '../../src/service/scenario/check-names.js'

/** The client checks that found a mistake in what happened, each once. */
export function checksFound(emulator: Emulator): CheckName[] {
  return [...new Set(findingsIn(emulator).map(({ check }) => check))]
}
