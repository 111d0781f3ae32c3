// Counts the tests of a report in Vitest's JSON. Prints a line with the numbers of passed, failed and
// skipped tests, and then the name of each failed test with the start of its messages. If `SVTRAIN_TRANSPORT` names a
// transport, it counts the tests of that one: only they run.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const LINES_OF_A_FAILURE = 12

const { SVTRAIN_TRANSPORT: transport } = process.env
const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const counts = { passed: 0, failed: 0, skipped: 0 }
const failures = []
for (const file of testResults) {
  const tests = file.assertionResults.filter(({ fullName }) => {
    return transport === undefined || fullName.includes(`(${transport})`)
  })
  const failed = tests.filter((test) => outcomeOf(test.status) === 'failed')
  for (const { status } of tests) counts[outcomeOf(status)]++
  for (const { fullName, failureMessages } of failed)
    addFailure(file, fullName, failureMessages ?? [])
  // A file that could not be loaded has no tests, and counts as one failure.
  if (file.status === 'failed' && failed.length === 0) {
    counts.failed++
    addFailure(file, 'could not be run', [file.message])
  }
}
process.stdout.write(`${[Object.values(counts).join(' '), ...failures].join('\n')}\n`)

function outcomeOf(status) {
  if (status === 'passed') return 'passed'
  return ['skipped', 'pending', 'todo', 'disabled'].includes(status) ? 'skipped' : 'failed'
}

function addFailure(file, name, messages) {
  const lines = messages.join('\n').split('\n').slice(0, LINES_OF_A_FAILURE)
  failures.push(`  ${relative('', file.name)}: ${name}`, ...lines.map((line) => `    ${line}`))
}
