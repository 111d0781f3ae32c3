import type { Diagnosis, Machine } from './check.js'
import { checks } from './checks/index.js'

/** What a check found, with its name. */
export interface NamedDiagnosis extends Diagnosis {
  readonly check: string
}

/** Looks at the whole setup. */
export function diagnose(machine: Machine): Promise<NamedDiagnosis[]> {
  return Promise.all(
    checks.map(async ({ name, look }) => ({ check: name, ...(await look(machine)) })),
  )
}
