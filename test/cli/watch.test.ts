import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../src/client.js'
import { assertBuilt, runJob, start } from './command.js'
import { temporaryFolder } from '../support/temporary-folder.js'

beforeAll(assertBuilt)

function scenario(error: string): string {
  return [
    'name: mine',
    'jobs:',
    '  - timeline:',
    '      - { event: training_started }',
    `      - { event: training_failed, error_message: ${error} }`,
    '',
  ].join('\n')
}

/** Serves `mine.yaml` of a folder with these files, and follows it. */
async function watching(files: Readonly<Record<string, string>>) {
  const cwd = temporaryFolder()
  const write = (name: string, text: string): void => writeFileSync(join(cwd, name), text)
  for (const [name, text] of Object.entries(files)) write(name, text)
  const command = start(['--scenario', 'mine.yaml', '--watch', '--clock', 'instant'], { cwd })
  const { training } = await command.ready()
  return { cwd, write, command, training }
}

async function lastError(training: string, model: string): Promise<unknown> {
  return (await runJob(training, model)).at(-1)!.data.error_message
}

describe('--watch', { timeout: 30_000 }, () => {
  it('follows the scenario file, and keeps the last valid version', async () => {
    const { cwd, write, command, training } = await watching({ 'mine.yaml': scenario('first') })
    expect(await lastError(training, 'a')).toBe('first')

    write('mine.yaml', scenario('second'))
    await command.says(/ Scenario reloaded: mine\. New jobs use it\.$/m)
    expect(await lastError(training, 'b')).toBe('second')

    write('mine.yaml', 'name: mine\njbos: []\n')
    await command.says(/The previous scenario stays in use\.\n/)
    expect(command.stderr).toMatch(
      /^mine\.yaml cannot be used: 1 problem\n\n.*2:1 .*"jbos"\. Did you mean "jobs"/,
    )
    expect(await lastError(training, 'c')).toBe('second')

    rmSync(join(cwd, 'mine.yaml'))
    await command.says(/Failed to read the scenario mine\.yaml: there is no such file in .*\.\n/)
    write('mine.yaml', scenario('third'))
    await command.says(/reloaded[^]*reloaded/)
    expect(await lastError(training, 'd')).toBe('third')
  })

  it('makes a reset return to the latest version', async () => {
    const { write, command, training } = await watching({ 'mine.yaml': scenario('first') })
    const client = createClient({ url: training })
    await client.reset('happy-path')
    write('mine.yaml', scenario('second'))
    await command.says(/ Scenario reloaded: mine\. New jobs use it\.$/m)
    await client.reset('happy-path')
    expect((await client.reset()).scenario.name).toBe('mine')
    expect(await lastError(training, 'a')).toBe('second')
  })

  it('follows a file that is replaced, also behind a link', async () => {
    const cwd = temporaryFolder()
    const behind = temporaryFolder()
    writeFileSync(join(behind, 'real.yaml'), scenario('first'))
    symlinkSync(join(behind, 'real.yaml'), join(cwd, 'mine.yaml'))
    const command = start(['--scenario', 'mine.yaml', '--watch', '--clock', 'instant'], { cwd })
    const { training } = await command.ready()
    writeFileSync(join(behind, '.real.yaml.swp'), scenario('second'))
    renameSync(join(behind, '.real.yaml.swp'), join(behind, 'real.yaml'))
    await command.says(/Scenario reloaded/)
    expect(await lastError(training, 'a')).toBe('second')
  })
})
