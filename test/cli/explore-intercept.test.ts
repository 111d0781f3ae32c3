import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { assertBuilt } from './command.js'
import { blindRetry, explore } from './explored-program.js'

beforeAll(assertBuilt)

const HOST = '--intercept=training=https://api.training.test/v1'

/** A program that reads no variable but its own key. */
function unchanged(program: string): string {
  return program.replace(
    /const \{ SVTRAIN_BASE_URL.*/,
    `const SVTRAIN_BASE_URL = 'https://api.training.test/v1'
    const { WANDB_API_KEY: SVTRAIN_API_KEY } = process.env`,
  )
}

describe('explore --intercept', { timeout: 120_000 }, () => {
  it('leads each run of a program that names no address to an emulator of its own', async () => {
    const program = `${unchanged(blindRetry)}
      await fetch('https://elsewhere.test/').catch(() => {})`
    const scenario = join(temporaryFolder(), 'lost.yaml')
    writeFileSync(
      scenario,
      'name: lost\nfaults: [{ fault: drop, match: { operation: createRlTrainingJob }, calls: 1, stage: after }]',
    )
    const { code, stdout, stderr } = await explore(
      program,
      [HOST, `--scenario=${scenario}`, '--only=lost', '--parallel=2'],
      { WANDB_API_KEY: 'a-real-key-of-the-user-that-must-never-leave-this-machine' },
    )
    expect(stdout).toContain('Failure 1: createRlTrainingJob was repeated blindly')
    expect(stdout).toMatch(/^2 runs in \S+ with seed 1: 1 passed, 1 broke a client check\.$/m)
    expect(stdout).toContain(' --intercept training=https://api.training.test/v1 --checks ')
    expect(stderr).toMatch(
      /^Hosts that the command called:\n {2}api\.training\.test {2}\d+ answered by the emulator, \d+ of them with an error\n {2}elsewhere\.test {5}\d+ refused; to allow it: --allow-host-out elsewhere\.test; to answer its chats: .*\n$/,
    )
    expect(code).toBe(1)
  })

  it('leads to the page of judges if the program names the key that it misses', async () => {
    const { stderr } = await explore(`throw new Error('set OPENAI_API_KEY')`, [HOST])
    expect(stderr).toMatch(/^If it misses OPENAI_API_KEY: .* svtrain-emulator docs judge$/m)
  })

  it('says which hosts were refused if the program calls no other', async () => {
    const { code, stdout, stderr } = await explore(
      `await fetch('https://elsewhere.test/').catch(() => {})`,
      [HOST, '--json'],
    )
    expect(code).toBe(2)
    expect(stderr).toContain('Its client may ignore the variables of a proxy, ')
    expect(stderr).toContain('elsewhere.test  1 refused; to allow it: ')
    expect(JSON.parse(stdout)).toMatchObject({ failures: [] })
  })
})
