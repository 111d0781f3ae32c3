import { describe, expect, it } from 'vitest'
import { assignmentFor, banner, readyEntry } from '../../src/cli/banner.js'
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

  it.each([
    ['linux', "  export SSL_CERT_FILE='/my certs/a.pem'"],
    ['win32', '  $env:SSL_CERT_FILE = "/my certs/a.pem"'],
  ] as const)('quotes values for the shell on %s', (platform, line) => {
    const proxied = { ...started, proxyVariables: { SSL_CERT_FILE: '/my certs/a.pem' } }
    const text = banner(proxied, { paint: plain }, { assign: assignmentFor(platform, {}) })
    expect(text.split('\n')).toContain(line)
  })

  it('keeps a key in one piece in a narrow terminal, so that it can be copied', () => {
    const apiKey = `svtrain-local${'0'.repeat(35)}`
    const text = banner({ ...started, apiKey }, { paint: plain, columns: () => 60 })
    expect(text).toContain(`\n  API key\n    ${apiKey} (any\n    key works)\n`)
    expect(text).toContain('\n  Scenario       happy-path: Everything goes well.\n')
  })

  it('shows notes and the mode of the clock', () => {
    const notes = ['Port 4600 is taken, so the training API is on 4602.']
    const clock = { mode: 'manual', speed: 1 }
    const text = banner({ ...started, notes, clock }, { paint: plain })
    expect(text).toContain('\nPort 4600 is taken, so the training API is on 4602.\nReady.')
    expect(text).toContain('  Clock          manual\n')
  })

  it('shows a generated control token, and no line without one', () => {
    expect(banner({ ...started, controlToken: 'abc' }, { paint: plain })).toMatch(
      /^ {2}Control token +abc$/m,
    )
    expect(banner(started, { paint: plain })).not.toContain('Control token')
  })

  it('has the variables that lead a program through its proxy', () => {
    const proxyVariables = { HTTPS_PROXY: 'http://127.0.0.1:4602', NODE_USE_ENV_PROXY: '1' }
    expect(banner({ ...started, proxyVariables }, { paint: plain })).toMatch(
      /^ {2}export HTTPS_PROXY=http:\/\/127\.0\.0\.1:4602\n {2}export NODE_USE_ENV_PROXY=1$/m,
    )
  })

  it('says where the state is saved, and what it was resumed from', () => {
    const text = banner({ ...started, data: './kept', takenUp: '2 models' }, { paint: plain })
    expect(text).toContain('  State kept in  ./kept\n  Resumed        2 models\n')
    expect(banner({ ...started, data: './kept' }, { paint: plain })).not.toContain('Resumed')
    expect(banner(started, { paint: plain })).not.toContain('State kept')
  })

  it('does not print API keys of the user', () => {
    const text = banner({ ...started, apiKey: undefined }, { paint: plain })
    expect(text).toContain('  API key        one of the configured keys\n')
    expect(text).not.toContain('SVTRAIN_API_KEY')
  })

  it('escapes control characters of a scenario', () => {
    const scenario = { name: 'a\u001b[2Jb', description: 'c\u009b2Jd\ne' }
    const text = banner({ ...started, scenario }, { paint: plain })
    expect(text).toContain('  Scenario       a\\u001b[2Jb: c\\u009b2Jd\\u000ae\n')
  })

  it.each([
    ['win32', {}, '  $env:SVTRAIN_BASE_URL = "http://127.0.0.1:4600/v1"'],
    ['win32', { SHELL: '/usr/bin/bash' }, '  export SVTRAIN_BASE_URL=http://127.0.0.1:4600/v1'],
    ['linux', {}, '  export SVTRAIN_BASE_URL=http://127.0.0.1:4600/v1'],
  ] as const)(
    'prints variables in the syntax of the shell on %s with %j',
    (platform, environment, line) => {
      const text = banner(
        started,
        { paint: plain },
        { assign: assignmentFor(platform, environment) },
      )
      expect(text.split('\n')).toContain(line)
      expect(text.match(/\$env:|export /g)).toHaveLength(3)
    },
  )

  it('works without a description of the scenario', () => {
    const scenario = { name: 'mine', description: '' }
    expect(banner({ ...started, scenario }, { paint: plain })).toContain('  Scenario       mine\n')
  })

  it('is one JSON object with --log json', () => {
    expect(readyEntry(started)).toEqual({
      kind: 'ready',
      version: '1.2.3',
      pid: 1234,
      trainingUrl: 'http://127.0.0.1:4600/v1',
      inferenceUrl: 'http://127.0.0.1:4601/v1',
      dashboardUrl: 'http://127.0.0.1:4600/_emulator/',
      apiKey: 'any-key',
      scenario: 'happy-path',
      seed: 1,
      clock: 'real',
      speed: 1,
      webhooks: [],
      notes: [],
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
