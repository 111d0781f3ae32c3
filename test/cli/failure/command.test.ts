import { expect, it } from 'vitest'
import { commandFailure, commandSuite } from '../../../src/cli/failure/command.js'
import { causeText, failureLines, plain } from '../../../src/cli/failure/lines.js'
import { createEmulator, type ClockMode } from '../../../src/index.js'
import { junitXml } from '../../../src/cli/failure/junit.js'

const run = { command: ['npm', 'test'], code: 1, took: 5000, again: ['npm', 'test'] }

/** What a failure says if the command ended while a job was queued, and nothing was refused. */
async function saidUnder(clock: ClockMode): Promise<string> {
  await using emulator = createEmulator({ clock })
  await emulator.jobs.start({ model: 'poet' })
  return JSON.stringify(commandFailure(emulator, run))
}

it('names the clock if a command ends before its job', async () => {
  const said = await saidUnder('real')
  expect(said).toContain('Nothing, but 1 job was not over. Under the clock real, a job takes')
  expect(said).toContain('Probable cause: 1 job was not over.')
  expect(await saidUnder('manual')).not.toContain('not over')
})

it('hints at interception if a command called nothing here', async () => {
  const hint =
    'Nothing: no call arrived here. If the command names no address of the emulator, add --intercept.'
  await using emulator = createEmulator()
  const lines = (isIntercepted?: boolean) =>
    failureLines(commandFailure(emulator, { ...run, isIntercepted }), plain).join('\n')
  expect(lines()).toContain(hint)
  expect(lines(true)).not.toContain(hint)
  await emulator.fetch(`${emulator.trainingUrl}/health`)
  expect(lines()).not.toContain(hint)
})

it('names a failed delivery in the terminal, in JUnit, as the cause and on the page', async () => {
  // Nothing listens on port 1.
  await using emulator = createEmulator({
    clock: 'instant',
    webhooks: ['http://127.0.0.1:1/hook'],
  })
  await emulator.jobs.start({ model: 'poet' })
  await emulator.settle()
  const lost = /RUN_STATE to receiver: [^\n<]*ECONNREFUSED[^\n<]* after 1 attempt/
  expect(failureLines(commandFailure(emulator, run), plain).join('\n')).toMatch(lost)
  expect(junitXml(commandSuite(emulator, run, { checks: [] }))).toMatch(lost)
  expect(causeText(commandFailure(emulator, run))).toMatch(
    /^Probable cause: delivery RUN_STATE to receiver: .*\nThe command exited with code 1\. It ran for 5\.0s\.$/,
  )
  const [, failed] = (await emulator.report()).split('<h2 id="failed">')
  expect(failed!.split('<h2 id="checks">')[0]).toMatch(lost)
})

it('says once on a page that a command was stopped, and what was pending then', async () => {
  await using emulator = createEmulator()
  const late = [{ what: 'job', which: '1 of poet', why: 'is queued' }]
  expect(causeText(commandFailure(emulator, { ...run, code: 124, late }))).toBe(
    'Pending then: job 1 of poet, is queued.\nThe command did not end in time and was stopped. It ran for 5.0s.',
  )
})
