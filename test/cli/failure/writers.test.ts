import { expect, it } from 'vitest'
import type { Failure } from '../../../src/cli/failure/failure.js'
import { failureContent } from '../../../src/cli/failure/html.js'
import { junitXml } from '../../../src/cli/failure/junit.js'
import { failureLines, plain } from '../../../src/cli/failure/lines.js'
import { markup } from '../../../src/tools/report/markup.js'
import { readJunit } from './read-junit.js'

const failure: Failure = {
  title: 'exited with code 7',
  kind: 'exit_code',
  headline: { subject: 'pytest -x', text: 'exited with code 7.', facts: 'It ran for 1.2s.' },
  notes: ['It may depend on timing.'],
  parts: [
    { heading: 'Worlds', form: 'sentence', text: 'world-1 (key <one>)' },
    {
      heading: 'What failed in the emulator',
      form: 'marks',
      rows: [{ label: '404', text: 'GET /v1/helth: Not Found' }],
      above: '… 3 earlier',
    },
    {
      heading: 'The smallest scenario that fails',
      form: 'code',
      text: 'name: small\nspeed: 2',
      file: 'small.yaml',
    },
    { heading: 'Run it again', form: 'command', words: ['npx', 'svtrain-emulator', 'exec'] },
    { heading: 'Nothing is pending', form: 'nothing' },
  ],
}

/** What both texts have around the code. */
const before = [
  'pytest -x exited with code 7. It ran for 1.2s.',
  'It may depend on timing.',
  '',
  'Worlds: world-1 (key <one>)',
  '',
  'What failed in the emulator:',
  '  … 3 earlier',
  '  404  GET /v1/helth: Not Found',
  '',
]
const after = ['', 'Run it again:', '  npx svtrain-emulator exec', '', 'Nothing is pending.']

it('a terminal has each part below its heading', () => {
  const code = ['small.yaml', '  name: small', '  speed: 2']
  expect(failureLines(failure, plain)).toEqual([...before, ...code, ...after])
})

// The shell of Windows has another sign.
it.skipIf(process.platform === 'win32')(
  'a narrow terminal gets a command that can still be pasted',
  () => {
    const words = ['npx svtrain-emulator', 'exec', '--seed 3', '-- pytest']
    const again: Failure = {
      title: 'failed',
      kind: 'exit_code',
      parts: [{ heading: 'Run it again', form: 'command', words }],
    }
    const lines = failureLines(again, { ...plain, columns: () => 32 }, '  ')
    expect(lines).toEqual([
      'failed',
      '',
      '  Run it again:',
      '    npx svtrain-emulator exec \\',
      '      --seed 3 -- pytest',
    ])
  },
)

it('a JUnit report has the title as its message, and code as it is', () => {
  const cases = [{ name: 'pytest -x', failure }]
  const [written] = readJunit(junitXml({ name: 'exec', properties: {}, cases, took: 0 }))
  expect(written).toMatchObject({ outcome: 'failure', message: 'exited with code 7' })
  const code = ['The smallest scenario that fails:', 'name: small', 'speed: 2']
  expect(written!.text).toBe([...before, ...code, ...after].join('\n'))
})

it('a page has the kind as a badge, and escapes everything', () => {
  const page = String(markup`${failureContent(failure, 'bad')}`)
  expect(page).toContain('<span class="badge bad">exit_code</span>')
  expect(page).toContain('<p class="notice">It may depend on timing.</p>')
  expect(page).toContain('<pre>\nWorlds: world-1 (key &lt;one&gt;)</pre>')
  expect(page).toContain(
    '<p>The smallest scenario that fails, also in <code>small.yaml</code>:</p><pre>\nname: small\nspeed: 2</pre>',
  )
})
