import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import {
  preparePythons,
  runPython,
  shareImports,
  type EnvironmentName,
  type Python,
} from './python.js'
import { REPORT, tableOf, updatePage, writeTable } from './report.js'

declare module 'vitest' {
  // Merged into vitest's own interface, which has to be one.
  export interface ProvidedContext {
    pythons: Record<EnvironmentName, Python>
    /** The documented interface, or an empty string if it is not available. */
    reference: string
  }
}

/** Prepares Python before the tests, and writes the table of results after them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const pythons = await preparePythons()
  for (const { why } of Object.values(pythons)) {
    if (why !== undefined) process.stdout.write(`Skipped: ${why}\n`)
  }
  await generateClient(pythons)
  const reference = process.env['SVTRAIN_REFERENCE'] ?? ''
  if (reference === '') process.stdout.write('Skipped: SVTRAIN_REFERENCE is not set\n')
  const stopSharing = await shareImports(pythons)
  project.provide('pythons', pythons)
  project.provide('reference', reference)
  rmSync(REPORT, { recursive: true, force: true })
  mkdirSync(REPORT, { recursive: true })
  return async () => {
    await stopSharing()
    writeTable()
    // `npm run conformance -- --update` writes the table of the documentation.
    if (project.config.snapshotOptions.updateSnapshot === 'all') await updatePage()
    process.stdout.write(`\n${tableOf()}\n`)
  }
}

/** Writes the generated part of the Python package, which a new clone does not have. Some tests run its source. */
async function generateClient(pythons: Readonly<Record<EnvironmentName, Python>>): Promise<void> {
  const folder = join(import.meta.dirname, '..', '..', 'python')
  if (existsSync(join(folder, 'src', 'svtrain_emulator', '_generated', 'client.py'))) return
  const { command } = Object.values(pythons).find((python) => python.command !== undefined) ?? {}
  if (command === undefined) return
  const ran = await runPython(command, [join(folder, 'scripts', 'generate.py')])
  if (ran.code !== 0) throw new Error(`The Python client was not generated: ${ran.stderr}`)
}
