// Prints what a test report in vitest's JSON adds up to: passed, failed, skipped.
import { readFileSync } from 'node:fs'

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const counts = { passed: 0, failed: 0, skipped: 0 }
for (const file of testResults) {
  const statuses = file.assertionResults.map((test) => test.status)
  // A file that could not be loaded has no tests to fail.
  if (file.status === 'failed' && !statuses.includes('failed')) counts.failed++
  for (const status of statuses) counts[outcomeOf(status)]++
}
process.stdout.write(`${Object.values(counts).join(' ')}\n`)

function outcomeOf(status) {
  if (status === 'passed') return 'passed'
  return ['skipped', 'pending', 'todo', 'disabled'].includes(status) ? 'skipped' : 'failed'
}
