import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runPython } from '../python.js'
import { REPORT } from '../report.js'
import type { Answer } from './compare.js'
import type { GeneratedRequest } from './recipe.js'

interface Asked {
  /** What this comparison is called. No other one that runs has the name. */
  readonly name: string
  readonly requests: readonly GeneratedRequest[]
  /** The variables of `oracle/app.py`. */
  readonly variables: Readonly<Record<string, string>>
}

/** Asks the framework in one process, without a socket. Returns an answer for each request. */
export async function answersOfFramework(
  python: string,
  { name, requests, variables }: Asked,
): Promise<Answer[]> {
  mkdirSync(REPORT, { recursive: true })
  const [asked, answered] = ['requests', 'answers'].map((what) =>
    join(REPORT, `${what}-${name}.jsonl`),
  ) as [string, string]
  writeFileSync(asked, requests.map((each) => `${JSON.stringify(each)}\n`).join(''))
  const ran = await runPython(python, [join('oracle', 'answer.py'), asked, answered], variables)
  if (ran.code !== 0) throw new Error(ran.stderr)
  const lines = readFileSync(answered, 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Answer)
}
