import { expect, it } from 'vitest'
import { RUN_AGAIN } from '../../../src/base/text/evidence.js'
import { partLines, plain } from '../../../src/cli/failure/lines.js'
import { createEmulator } from '../../../src/index.js'
import { commandAgain, commandInLog } from '../../../src/tools/recording/command-again.js'
import { dataInReport } from '../../../src/tools/recording/read-report.js'

/** What a command prints that failed, in a terminal of this width. */
function logOf(words: readonly string[], columns?: number): string {
  const look = columns === undefined ? plain : { ...plain, columns: () => columns }
  const lines = partLines({ heading: RUN_AGAIN, form: 'command', words }, look)
  return ['build 7', ...lines, '', 'What happened:', '  exec nothing -- else'].join('\n')
}

/** What the page of a report says that a command wrote. */
async function inReport(reproduce: string): Promise<string | undefined> {
  await using emulator = createEmulator()
  const page = await emulator.report({ reproduce })
  return commandAgain(dataInReport(page, 'page.html').reproduce!)
}

const options = ['--scenario', "'a b.yaml'", '--clock', '20x', '--seed', '7', '--intercept']

it.each([
  ['words in quotes', ['python', `'my "loop".py'`]],
  ['a quote in quotes', ['python', '-c', String.raw`'print('\''a -- b'\'')'`]],
  ['options of its own with the same names', ['python', 'train.py', '--seed', '3', '--', 'x']],
])('a log and a page give the options and the program back: %s', async (_what, program) => {
  const words = ['svtrain-emulator', 'exec', ...options, '--', ...program]
  const kept = ['--clock', '20x', '--intercept', '--', ...program].join(' ')
  expect(commandInLog(logOf(words))).toBe(kept)
  expect(commandInLog(logOf(words, 40))).toBe(kept)
  expect(await inReport(words.join(' '))).toBe(kept)
})

it('a page keeps a program of several lines', async () => {
  const program = "node -e 'first()\nsecond()'"
  expect(await inReport(`svtrain-emulator exec --seed 5 -- ${program}`)).toBe(`-- ${program}`)
})

it('two commands in one log are none', () => {
  const one = logOf(['svtrain-emulator', 'exec', '--', 'one'])
  const two = logOf(['svtrain-emulator', 'exec', '--', 'two'])
  expect(commandInLog(`${one}\n${two}`)).toBeUndefined()
  expect(commandInLog(`${one}\n${one}`)).toBe('-- one')
})

it.each(['-- one', '-- docker exec web -- one', '--report exec -- one'])(
  'another command is none: explore %s',
  async (rest) => {
    const words = ['npx', 'svtrain-emulator', 'explore', ...rest.split(' ')]
    expect(commandInLog(logOf(words))).toBeUndefined()
    expect(await inReport(words.join(' '))).toBeUndefined()
  },
)
