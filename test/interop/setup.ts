import { mkdirSync, rmSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { preparePythons, type EnvironmentName, type Python } from './python.js'
import { REPORT, tableOf, writeTable } from './report.js'

declare module 'vitest' {
  // Merged into vitest's own interface, which has to be one.
  export interface ProvidedContext {
    pythons: Record<EnvironmentName, Python>
    /** The documented interface, or the empty string where it is not at hand. */
    reference: string
  }
}

/** Before the tests: Python. After them: the table of what they found. */
export async function setup(project: TestProject): Promise<() => void> {
  const pythons = await preparePythons()
  for (const { why } of Object.values(pythons)) {
    if (why !== undefined) process.stdout.write(`Skipped: ${why}\n`)
  }
  const reference = process.env['SVTRAIN_REFERENCE'] ?? ''
  if (reference === '') process.stdout.write('Skipped: SVTRAIN_REFERENCE is not set\n')
  project.provide('pythons', pythons)
  project.provide('reference', reference)
  rmSync(REPORT, { recursive: true, force: true })
  mkdirSync(REPORT, { recursive: true })
  return () => {
    writeTable()
    process.stdout.write(`\n${tableOf()}\n`)
  }
}
