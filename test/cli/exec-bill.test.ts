import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { assertBuilt, Command } from './command.js'
import { refused } from './commands.js'

beforeAll(assertBuilt)

const chats = `
  const { SVTRAIN_BASE_URL, SVTRAIN_API_KEY } = process.env
  for (let left = 3; left > 0; left--) {
    const answer = await fetch(SVTRAIN_BASE_URL + '/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer ' + SVTRAIN_API_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'example/base-8b-instruct',
        messages: [{ role: 'user', content: 'Hello!' }],
      }),
    })
    console.log(answer.status)
  }
  process.exitCode = Number(process.argv[1] ?? 0)
`

const PRICES = 'currency: usd\nmodels:\n  "*": { prompt: 1000000, completion: 0 }\n'

function execute(options: readonly string[], code = '0'): Command {
  return new Command(['exec', ...options, '--', process.execPath, '--eval', chats, code])
}

describe('exec --bill', { timeout: 30_000 }, () => {
  it('prints the bill, and fails a command that is over its budget without a change of its calls', async () => {
    const file = join(temporaryFolder(), 'prices.yaml')
    writeFileSync(file, PRICES)
    const command = execute([`--bill=${file}`, '--budget', '1usd', '--steps', '30'])
    expect(await command.ended()).toBe(123)
    expect(command.stdout).toBe('200\n200\n200\n')
    expect(command.stderr).toMatch(/^Over the budget 1usd: .* The command goes on, /)
    expect(command.stderr).toContain('Bill: 3 chats, 0 training jobs')
    expect(command.stderr).toContain('No estimate: the run had 0 training jobs')
  })

  it('says at once that the worlds of keys are over it', async () => {
    const command = execute(['--isolate=api-key', '--budget', '1-tokens'])
    expect(await command.ended()).toBe(123)
    expect(command.stderr).toMatch(/^Over the budget 1-tokens: .* The command goes on, /)
  })
})

describe('the options of a bill', () => {
  it.each([
    [
      '--budget lots',
      'The budget "lots" cannot be used: expected a limit such as 5usd, 2M-tokens or 500k-tokens.',
    ],
    ['--budget 5usd', 'The budget "5usd" needs prices: the emulator has none of its own.'],
    ['--steps 0', '--steps takes a whole number from 1 to 1000000, not "0".'],
  ])('refuse %s', async (options, message) => {
    const { message: told } = await refused(`exec ${options} -- true`)
    expect(told).toContain(message)
  })
})
