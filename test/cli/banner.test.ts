import { describe, expect, it } from 'vitest'
import { assignmentFor, banner, readyEntry, type BannerFacts } from '../../src/cli/banner.js'
import { started } from './banner-facts.js'
import { type Paint, painterFor } from '../../src/cli/terminal.js'

const plain: Paint = (_style, text) => text

describe('the banner', () => {
  it('shows URLs, scenario, seed, clock and exports', () => {
    expect(banner(started, { paint: plain })).toMatchInlineSnapshot(`
      "svtrain-emulator 1.2.3

        Training API   http://127.0.0.1:4600/v1
        Inference API  http://127.0.0.1:4601/v1
        Dashboard      http://127.0.0.1:4600/_emulator/
        API key        any-key (any key works)
        Scenario       happy-path: Everything goes well.
        Seed           1
        Clock          real, speed 1

      Set these variables for your client:
        export SVTRAIN_BASE_URL=http://127.0.0.1:4600/v1
        export SVTRAIN_INFERENCE_URL=http://127.0.0.1:4601/v1
        export SVTRAIN_API_KEY=any-key

      Next, create a first job, and watch it here or in the dashboard:
        curl -d '{}' http://127.0.0.1:4600/_emulator/jobs

      Ready. Stop with Ctrl-C.
      "
    `)
  })

  it('names the contract, if it is not the newest', () => {
    const older = { ...started, contract: '2026-01' } as const
    expect(banner(older, { paint: plain })).toContain(
      '\n  Seed           1\n  Contract       2026-01 (the newest is 2026-11)\n  Clock',
    )
    expect(readyEntry(older)).toMatchObject({ contract: '2026-01' })
    expect(JSON.stringify(readyEntry({ ...started, contract: undefined }))).not.toContain(
      'contract',
    )
  })

  it('names a first call, unless it needs a token or the state was saved', () => {
    const next = /^Next, create a first job.*:\n {2}curl -d '\{\}' http:\S+\/_emulator\/jobs$/m
    expect(banner(started, { paint: plain })).toMatch(next)
    for (const other of [{ controlToken: 'abc' }, { takenUp: '2 models' }]) {
      expect(banner({ ...started, ...other }, { paint: plain })).not.toContain('Next,')
    }
    const assign = assignmentFor('win32', {})
    expect(banner(started, { paint: plain }, { assign })).toContain("  curl.exe -d '{}' ")
  })

  it('keeps a key in one piece in a narrow terminal, so that it can be copied', () => {
    const apiKey = `svtrain-local${'0'.repeat(35)}`
    const text = banner({ ...started, apiKey }, { paint: plain, columns: () => 60 })
    expect(text).toContain(`\n  API key\n    ${apiKey} (any\n    key works)\n`)
    expect(text).toContain('\n  Scenario       happy-path: Everything goes well.\n')
  })

  it.each<[what: string, facts: Partial<BannerFacts>, shown: string]>([
    ['notes', { notes: ['Port 4600 is taken.'] }, '\nPort 4600 is taken.\nReady.'],
    ['the mode of the clock', { clock: { mode: 'manual', speed: 1 } }, 'Clock          manual\n'],
    ['a generated control token', { controlToken: 'abc' }, 'Control token  abc\n'],
    [
      'the variables that lead a program through its proxy',
      { proxyVariables: { HTTPS_PROXY: 'http://127.0.0.1:4602', NODE_USE_ENV_PROXY: '1' } },
      '  export HTTPS_PROXY=http://127.0.0.1:4602\n  export NODE_USE_ENV_PROXY=1\n',
    ],
    [
      'where the state is saved, and what it was resumed from',
      { data: './kept', takenUp: '2 models' },
      '  State kept in  ./kept\n  Resumed        2 models\n',
    ],
    [
      'control characters of a scenario escaped',
      { scenario: { name: 'a\u001b[2Jb', description: 'c\u009b2Jd\ne' } },
      '  Scenario       a\\u001b[2Jb: c\\u009b2Jd\\u000ae\n',
    ],
    [
      'a scenario without a description',
      { scenario: { name: 'mine', description: '' } },
      '  Scenario       mine\n',
    ],
  ])('shows %s', (_what, facts, shown) => {
    expect(banner({ ...started, ...facts }, { paint: plain })).toContain(shown)
  })

  it('does not print API keys of the user', () => {
    const text = banner({ ...started, apiKey: undefined }, { paint: plain })
    expect(text).toContain('  API key        one of the configured keys\n')
    expect(text).not.toContain('SVTRAIN_API_KEY')
  })

  it.each([
    ['win32', {}, '  $env:SVTRAIN_BASE_URL = "http://127.0.0.1:4600/v1"'],
    ['win32', { SHELL: '/usr/bin/bash' }, '  export SVTRAIN_BASE_URL=http://127.0.0.1:4600/v1'],
    ['linux', {}, '  export SVTRAIN_BASE_URL=http://127.0.0.1:4600/v1'],
    ['linux', {}, "  export SSL_CERT_FILE='/my certs/a.pem'"],
    ['win32', {}, '  $env:SSL_CERT_FILE = "/my certs/a.pem"'],
  ] as const)(
    'prints variables in the syntax of the shell on %s with %j',
    (platform, environment, line) => {
      const text = banner(
        { ...started, proxyVariables: { SSL_CERT_FILE: '/my certs/a.pem' } },
        { paint: plain },
        { assign: assignmentFor(platform, environment) },
      )
      expect(text.split('\n')).toContain(line)
      expect(text.match(/\$env:|export /g)).toHaveLength(4)
    },
  )

  it('is one JSON object with --log json', () => {
    expect(readyEntry(started)).toMatchObject({
      kind: 'ready',
      trainingUrl: 'http://127.0.0.1:4600/v1',
      scenario: 'happy-path',
      clock: 'real',
      speed: 1,
    })
  })
})

describe('color', () => {
  it.each<[isTTY: boolean | undefined, environment: Record<string, string>, isColored: boolean]>([
    [true, {}, true],
    [false, {}, false],
    [undefined, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [true, { FORCE_COLOR: '0' }, false],
    [true, { FORCE_COLOR: 'false' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    [false, { FORCE_COLOR: '' }, true],
    [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  ])('on a terminal: %s, with %j, is used: %s', (isTTY, environment, isColored) => {
    const painted = painterFor({ ...(isTTY !== undefined && { isTTY }) }, environment)('red', 'x')
    expect(painted).toBe(isColored ? '\u001b[31mx\u001b[39m' : 'x')
  })
})
