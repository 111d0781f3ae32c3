import { expect, it } from 'vitest'
import { RUN_AGAIN } from '../../../src/base/text/evidence.js'
import { partLines, plain } from '../../../src/cli/failure/lines.js'
import { createEmulator } from '../../../src/index.js'
import { commandAgain } from '../../../src/tools/recording/command-again.js'

/** What a command prints that failed, in a terminal of this width. */
function logOf(words: readonly string[], columns?: number): string {
  const look = columns === undefined ? plain : { ...plain, columns: () => columns }
  const lines = partLines({ heading: RUN_AGAIN, form: 'command', words }, look)
  return ['build 7', ...lines, '', 'What happened:', '  exec nothing -- else'].join('\n')
}

const options = ['--scenario', "'a b.yaml'", '--clock', '20x', '--seed', '7', '--intercept']

it.each([
  ['words in quotes', ['python', `'my "loop".py'`]],
  ['a quote in quotes', ['python', '-c', String.raw`'print('\''a -- b'\'')'`]],
  ['options of its own with the same names', ['python', 'train.py', '--seed', '3', '--', 'x']],
])('a log and a page give the options and the program back: %s', async (_what, program) => {
  const words = ['svtrain-emulator', 'exec', ...options, '--', ...program]
  const kept = ['--clock', '20x', '--intercept', '--', ...program].join(' ')
  expect(commandAgain(logOf(words))).toBe(kept)
  expect(commandAgain(logOf(words, 40))).toBe(kept)
  await using emulator = createEmulator()
  expect(commandAgain(await emulator.report({ reproduce: words.join(' ') }))).toBe(kept)
})

it('a page keeps a program of several lines', async () => {
  const program = "node -e 'first()\nsecond()'"
  await using emulator = createEmulator()
  const page = await emulator.report({ reproduce: `svtrain-emulator exec --seed 5 -- ${program}` })
  expect(commandAgain(page)).toBe(`-- ${program}`)
})

it('two commands in one log are none', () => {
  const one = logOf(['svtrain-emulator', 'exec', '--', 'one'])
  expect(
    commandAgain(`${one}\n${logOf(['svtrain-emulator', 'exec', '--', 'two'])}`),
  ).toBeUndefined()
  expect(commandAgain(`${one}\n${one}`)).toBe('-- one')
  expect(commandAgain(logOf(['svtrain-emulator', 'explore', '--', 'one']))).toBeUndefined()
})
