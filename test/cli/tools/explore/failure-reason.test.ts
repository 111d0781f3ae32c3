import { expect, it } from 'vitest'
import { shownOutput } from '../../../../src/cli/shown-output.js'
import { failureReason, uncaughtError } from '../../../../src/cli/tools/explore/failure-reason.js'

it('a test that failed says more than a line on stderr that is no error', () => {
  const stderr = 'WARNING: the model is slow\n'
  const stdout = 'FAILED test_loop.py::test_train - assert 0 == 1\n=== 1 failed in 2s ===\n'
  expect(failureReason({ stdout, stderr })).toBe('FAILED test_loop.py::test_train - assert 0 == 1')
})

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
    'Error: no checkpoint (raised in loop.mjs:3)',
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
    'ValueError: no checkpoint (raised in loop.py:1)',
  ],
  [
    'an exception in a library of Python',
    {
      stderr: `Traceback (most recent call last):
  File "/home/me/train.py", line 12, in <module>
    asyncio.run(main())
  File "/usr/lib/python3.12/asyncio/runners.py", line 194, in run
    return runner.run(main)
  File "/home/me/.venv/lib/python3.12/site-packages/art/backend.py", line 80, in train
    raise RuntimeError("no checkpoint")
RuntimeError: no checkpoint
`,
    },
    'RuntimeError: no checkpoint (raised in the library art, called from train.py:12)',
  ],
  [
    'an exception of the program that a library called',
    {
      stderr: `Traceback (most recent call last):
  File "/home/me/.venv/lib/python3.12/site-packages/art/backend.py", line 80, in train
    rollout()
  File "/home/me/rollout.py", line 4, in rollout
    raise RuntimeError("no answer")
RuntimeError: no answer
`,
    },
    'RuntimeError: no answer (raised in rollout.py:4)',
  ],
  [
    'an error in a library of Node.js',
    {
      stderr: `APIError: 503
    at Client.send (file:///home/me/node_modules/@scope/client/index.mjs:9:11)
    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)
    at async train (file:///home/me/loop.mjs:3:5)

Node.js v22.12.0
`,
    },
    'APIError: 503 (raised in the library @scope/client, called from loop.mjs:3)',
  ],
  [
    'an error before a line that begins with the word',
    { stderr: 'ValueError: bad batch\nError reporting is off, see docs\n' },
    'ValueError: bad batch',
  ],
  [
    'a sentence that begins as a frame does',
    { stderr: 'at least one trajectory is needed\n' },
    'at least one trajectory is needed',
  ],
  [
    'stdout, with a frame of something else on stderr',
    { stderr: '    at f (/x/node_modules/lib/i.js:1:2)\n', stdout: 'it broke\n' },
    'it broke',
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

it('an uncaught error of a program in Python tells that it was over, before it was stopped', () => {
  const error = `Traceback (most recent call last):
  File "/home/me/train.py", line 9, in <module>
    asyncio.run(main())
  File "/home/me/train.py", line 7, in main
RuntimeError: refused
`
  const noise = 'wandb: Network error (ConnectTimeout), entering retry loop.\n'
  const stopped = (stderr: string) => uncaughtError({ stdout: '', stderr })
  expect(stopped(error + noise)).toBe('RuntimeError: refused (raised in train.py:7)')
  // A library logged it, and the program went on.
  expect(stopped(error.replace('in <module>', 'in retry'))).toBeUndefined()
  expect(stopped(noise)).toBeUndefined()
})
