import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Killers, Verdict } from './judge.js'

export function readKillers(file: string): Killers {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Killers) : {}
}

/** Adds the test files that killed mutants. The next run tries them first. */
export function writeKillers(file: string, verdicts: readonly Verdict[]): void {
  const found = verdicts.flatMap(({ id, by }) => {
    return by === undefined ? [] : [[id, by.split(':', 1)[0]!] as const]
  })
  const killers = { ...readKillers(file), ...Object.fromEntries(found) }
  writeFileSync(file, `${JSON.stringify(killers, null, 2)}\n`)
}
