import { expect, it } from 'vitest'
import { causeText, commandFailure } from '../../../src/cli/failure/command.js'
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
  expect(await saidUnder('manual')).toContain('Nothing: the output of the command says more.')
})
