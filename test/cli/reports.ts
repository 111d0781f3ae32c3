import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reportText } from '../../src/cli/tools/play/report-text.js'
import { scenarioErrorLines } from '../../src/cli/report/scenario-problems.js'
import { ScenarioError } from '../../src/service/scenario/scenario-error.js'
import type { BuiltInScenarioName } from '../../src/service/scenario/built-in-scenarios.js'
import { played } from '../tools/play/played.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const paint = (_style: unknown, text: string): string => text

/** The report of `play`, in a terminal of this width. */
export async function formatReportAt(name: BuiltInScenarioName, columns: number): Promise<string> {
  return reportText(await played(name), { paint, columns: () => columns })
}

/** The errors of a scenario file, in a terminal of this width. */
export function problemsAt(columns: number): string {
  const file = join(temporaryFolder(), 'a.yaml')
  writeFileSync(file, `name: mine\n${'x'.repeat(300)}: 1\n`)
  const message = `unknown key. Known here: ${'name, '.repeat(30)}and others.`
  const problem = { place: 'key', message, file, line: 2, column: 1 }
  const error = new ScenarioError('mine.yaml cannot be used:', [problem])
  return scenarioErrorLines(error, { paint, columns: () => columns })
    .join('\n')
    .replaceAll(file, 'a.yaml')
}
