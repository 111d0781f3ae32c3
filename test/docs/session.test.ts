import { describe, expect, it } from 'vitest'
import { assertBuilt } from '../cli/command.js'
import { blocksOf, patternOf } from '../support/pages.js'
import { commandsOf, Session, startAbove, startOf } from '../support/session.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** How the tests of the documentation read a page. */

const page = [
  '```sh',
  'npx svtrain-emulator --scenario failing-job',
  '```',
  '',
  'Save this as `first.mjs`:',
  '',
  '```js',
  "console.log('one')",
  '```',
  '',
  '```text',
  'one',
  '```',
  '',
  '```sh',
  'npx svtrain-emulator --clock manual --port 4700 > log.txt &',
  'curl http://127.0.0.1:4700/v1/health',
  '```',
].join('\n')
const blocks = blocksOf({ file: 'docs/page.md', text: page, isGenerated: false })

describe('a page', () => {
  it('has blocks with their names and their output', () => {
    expect(blocks.map(({ place, name, shown, isShown }) => [place, name, shown, isShown])).toEqual([
      ['docs/page.md:1', undefined, undefined, false],
      ['docs/page.md:7', 'first.mjs', 'one\n', false],
      ['docs/page.md:11', undefined, undefined, true],
      ['docs/page.md:15', undefined, undefined, false],
    ])
  })

  it('says which emulator an example needs: the nearest start above', () => {
    expect(startAbove(blocks[1]!, blocks, 'emulator').args).toEqual(['--scenario', 'failing-job'])
    expect(startAbove(blocks[3]!, blocks, 'emulator')).toMatchObject({
      args: ['--clock', 'manual', '--port', '4700'],
      output: 'log.txt',
    })
  })
})

describe('a script', () => {
  it('has commands that continue after a backslash and inside of quotes', () => {
    const script = '# A comment\ncurl one \\\n  -d \'{\n  "a": 1}\'\n\nA=1 two'
    expect(commandsOf(script)).toEqual(['curl one \\\n  -d \'{\n  "a": 1}\'', 'A=1 two'])
    expect(() => commandsOf("echo 'open")).toThrow('A quote is missing')
  })

  it('starts the emulator after other commands', () => {
    const commands = commandsOf('npm ci && npx svtrain-emulator --seed 2')
    expect(commands).toEqual(['npm ci', 'npx svtrain-emulator --seed 2'])
  })

  it.each([
    ['npx svtrain-emulator', []],
    ['npx svtrain-emulator --data ./world', ['--data', './world']],
    ["npx svtrain-emulator sink --secret 'a b'", ['sink', '--secret', 'a b']],
  ])('%s is a start', (command, args) => {
    expect(startOf(command)?.args).toEqual(args)
  })

  it.each(['npx svtrain-emulator play failing-job', 'npx svtrain-emulator --help', 'npm ci'])(
    '%s ends on its own',
    (command) => {
      expect(startOf(command)).toBeUndefined()
    },
  )
})

describe('a session', () => {
  it('records the programs that it does not run', async () => {
    const session = new Session(temporaryFolder())
    expect(await session.run('npm ci && npx vitest run')).toMatchObject({ code: 0 })
    expect(session.standIns).toEqual(['npm ci', 'npx vitest run'])
  })

  it('reaches the emulator under the addresses of the page, and notices refusals', async () => {
    assertBuilt()
    const session = new Session(temporaryFolder())
    await session.start(startOf('npx svtrain-emulator --port 4700')!)
    const { stdout } = await session.run('curl -s http://127.0.0.1:4700/_emulator/ready | cat')
    expect(stdout).not.toBe('')
    expect(await session.run('curl -s http://127.0.0.1:4700/v1/nothing | cat')).toMatchObject({
      code: 1,
    })
    await session.stop()
  })
})

it('output is compared with any id, any time, and any text for an ellipsis', () => {
  const shown = 'POST /v1/models 200 1.2 ms (a … b)\n  → job 1b2c3d4e-… on poet\n'
  const printed = 'before\nPOST /v1/models 200 13 ms (a x b)\n  → job 0a0b0c0d-1 on poet\nafter'
  expect(printed).toMatch(patternOf(shown))
  expect(printed.replace('poet', 'other')).not.toMatch(patternOf(shown))
})
