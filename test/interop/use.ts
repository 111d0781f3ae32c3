import { join } from 'node:path'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/index.js'
import type { CheckName } from '../../src/service/scenario/check-names.js'
import { checksFound } from './checks-found.js'
import { resultOf, runCopy, type Python } from './python.js'

export interface Example {
  name: string
  /** What the example shows, if the program has several parts. */
  part: string | null
  /** Why it failed. */
  error: string | null
  /** What this version of the client does not have, so that the example did not run. */
  missing: string | null
}

export interface Used {
  examples: Example[]
  /** The called operations, with the number of calls. */
  calls: Record<string, number>
  /** The requests that the emulator does not know. */
  unknown: string[]
  /** The client checks that found a mistake. */
  found: CheckName[]
}

/** The variables in which programs find an emulator, its judge, and their keys. */
export function variablesFor(emulator: Emulator): Record<string, string> {
  return {
    SVTRAIN_BASE_URL: emulator.trainingUrl,
    SVTRAIN_INFERENCE_URL: emulator.inferenceUrl,
    SVTRAIN_API_KEY: emulator.apiKey,
    OPENAI_BASE_URL: emulator.inferenceUrl,
    OPENAI_API_KEY: emulator.apiKey,
  }
}

/** Runs a program of `clients/` against an emulator on a port, and says what it called. */
export async function use(
  python: Python,
  program: string,
  options: EmulatorOptions = {},
): Promise<Used> {
  // Time is fast: a client that waits a second before it looks again finds its job at the end.
  await using emulator = createEmulator({ clock: 'real', speed: 10, ...options })
  await emulator.listen()
  const calls: Record<string, number> = {}
  const unknown: string[] = []
  emulator.journal.subscribe((entry) => {
    if (entry.kind !== 'request') return
    if (entry.operation !== undefined) {
      calls[entry.operation] = (calls[entry.operation] ?? 0) + 1
    } else if (entry.status === 404) unknown.push(`${entry.method} ${entry.path}`)
  })
  const ran = await runCopy(python, [join('clients', program)], {
    ...variablesFor(emulator),
    // Runs and artifacts have tests of their own.
    WANDB_MODE: 'disabled',
  })
  return { examples: resultOf(ran), calls, unknown, found: checksFound(emulator) }
}
