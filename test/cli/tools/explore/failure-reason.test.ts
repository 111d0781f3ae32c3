import { expect, it } from 'vitest'
import { failureReason, shownOutput } from '../../../../src/cli/tools/explore/failure-reason.js'

it.each([
  [
    'an error of Node.js',
    {
      stderr: `file:///home/me/loop.mjs:3
    throw new Error('no checkpoint')
          ^

Error: no checkpoint
    at train (file:///home/me/loop.mjs:3:11) {
  [cause]: Error: connect ECONNREFUSED
      at file:///home/me/loop.mjs:9:1
}

Node.js v22.12.0
`,
    },
    'Error: no checkpoint',
  ],
  [
    'an exception of Python',
    {
      stderr: `Traceback (most recent call last):
  File "loop.py", line 1, in <module>
    raise ValueError("no checkpoint")
ValueError: no checkpoint
`,
    },
    'ValueError: no checkpoint',
  ],
  [
    'a failed test of pytest',
    {
      stdout: `=== short test summary info ===
FAILED test_loop.py::test_poet - AssertionError: no checkpoint
=== 1 failed in 0.12s ===
`,
    },
    'FAILED test_loop.py::test_poet - AssertionError: no checkpoint',
  ],
  ['the last line of stderr', { stderr: 'starting\nno checkpoint\n\n' }, 'no checkpoint'],
  ['the last line of stdout', { stdout: 'starting\nno checkpoint\n' }, 'no checkpoint'],
  ['colors', { stderr: '\u001b[31mError:\u001b[39m no checkpoint\n' }, 'Error: no checkpoint'],
  ['nothing', {}, 'It exited with code 3 and printed nothing.'],
  ['a long line', { stderr: 'x'.repeat(1000) }, `${'x'.repeat(300)}…`],
])('says why a command failed: %s', (_what, output, reason) => {
  expect(failureReason({ code: 3, stdout: '', stderr: '', ...output })).toBe(reason)
})

it('shows of an output what a terminal would', () => {
  const bar = '\u001b[1;34mstep\u001b[0m:   0%\rstep:  50%\rstep: 100%\r\nDone\r\n'
  expect(shownOutput(bar)).toBe('step: 100%\nDone\n')
})
