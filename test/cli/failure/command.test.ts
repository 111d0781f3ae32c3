import { expect, it } from 'vitest'
import { causeText, commandFailure } from '../../../src/cli/failure/command.js'
import { failureLines, plain } from '../../../src/cli/failure/lines.js'
import { createEmulator, type ClockMode } from '../../../src/index.js'

const run = { command: ['npm', 'test'], code: 1, took: 5000, again: ['npm', 'test'] }

/** What a failure says if the command ended while a job was queued, and nothing was refused. */
async function saidUnder(clock: ClockMode): Promise<string> {
  await using emulator = createEmulator({ clock })
  await emulator.jobs.start({ model: 'poet' })
  return JSON.stringify(commandFailure(emulator, run)) + causeText(emulator, run)
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
