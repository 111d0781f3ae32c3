import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { platform } from 'node:process'
import { stripVTControlCharacters } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { widthOf } from '../../src/cli/text-width.js'
import { has } from '../support/programs.js'
import { RunningProcess } from '../support/running-process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { runJob, assertBuilt } from './command.js'
import { wideLines, writeFilesForLines } from './wide-lines.js'

const root = join(import.meta.dirname, '..', '..')
const program = `'${process.execPath}' '${join(root, 'bin', 'svtrain-emulator.js')}'`

const hasScript = has('script')
const reason = hasScript ? '' : ' (needs the script command of util-linux)'

/** Runs a line of shell code in a pseudo-terminal. What is typed goes to its stdin. */
class PseudoTerminal extends RunningProcess {
  constructor(line: string, { columns = 100, cwd = root, path = '' } = {}) {
    const env = { PATH: `${path}:${process.env.PATH}`, TERM: 'xterm-256color', SHELL: '/bin/sh' }
    super('script', ['-qec', `stty cols ${columns} rows 40; ${line}`, '/dev/null'], { cwd, env })
  }

  /** Its text without colors. */
  get text(): string {
    return stripVTControlCharacters(this.stdout).replaceAll('\r', '')
  }

  type(keys: string): void {
    this.process.stdin!.write(keys)
  }
}

/** A folder with a program that stands for the browser, and writes the URL that it gets to a file. */
function browserIn(folder: string): string {
  const file = join(folder, 'opened')
  const opener = platform === 'darwin' ? 'open' : 'xdg-open'
  writeFileSync(join(folder, opener), `#!/bin/sh\necho "$1" > ${file}\n`, { mode: 0o755 })
  return file
}

describe.skipIf(!hasScript)(`a terminal${reason}`, { timeout: 60_000 }, () => {
  beforeAll(assertBuilt)

  it('passes keys to the emulator that is served', async () => {
    const path = temporaryFolder()
    const opened = browserIn(path)
    const line = `${program} --port 0 --inference-port 0 --scenario failing-job`
    const terminal = new PseudoTerminal(line, { path })
    await terminal.says(/Ready\. Stop with q or Ctrl-C\. \? shows more keys\./)
    const [, training] = /SVTRAIN_BASE_URL=(\S+)/.exec(terminal.text) as unknown as [string, string]

    terminal.type('?')
    await terminal.says(/q.* {2}quit, as Ctrl-C does[^]*\?.* {2}show these keys/)
    terminal.type('p')
    await terminal.says(/Paused at .*Z\. p continues, n goes to the next event\./)
    await runJob(training, 'poet')
    terminal.type('n')
    await terminal.says(/·.*poet [0-9a-f]{8} started, 6 sequences/)
    terminal.type('p')
    await terminal.says(/The clock is real, speed 1\./)
    terminal.type('o')
    await terminal.says(/Opening http:\S+\/_emulator\//)
    await expect.poll(() => existsSync(opened) && readFileSync(opened, 'utf8')).toMatch(/_emulator/)
    terminal.type('r')
    await terminal.says(/Reset: scenario failing-job, seed 1\./)
    terminal.type('q')
    expect(await terminal.ended()).toBe(0)
    expect(terminal.text).toMatch(/\nStopped after \S+: 3 requests, 1 job\b.*\.\n$/)
  })

  it('keeps the emulator running if there is no browser to open', async () => {
    const line = `PATH=${temporaryFolder()} ${program} --port 0 --inference-port 0`
    const terminal = new PseudoTerminal(line)
    await terminal.says(/Ready\. /)
    terminal.type('o')
    await terminal.says(/Opening http:\S+\/_emulator\//)
    terminal.type('r')
    await terminal.says(/Reset: scenario happy-path, seed 1\./)
    terminal.type('q')
    expect(await terminal.ended()).toBe(0)
  })

  it('works as before after the emulator ends', async () => {
    const line = `stty -a > before; ${program} --port 0 --inference-port 0; stty -a > after`
    const cwd = temporaryFolder()
    const terminal = new PseudoTerminal(line, { cwd })
    await terminal.says(/Ready\. /)
    terminal.type('\u0003')
    expect(await terminal.ended()).toBe(0)
    const [before, after] = ['before', 'after'].map((name) => readFileSync(join(cwd, name), 'utf8'))
    expect(before).toContain('icanon')
    expect(after).toBe(before)
  })

  it('is never wrapped', async () => {
    const cwd = temporaryFolder()
    writeFilesForLines(cwd)
    const columns = 80
    // Help, a table and a trace. terminal-width.test.ts prints all lines, with four widths.
    const few = wideLines.filter(([first]) => ['--help', 'play', 'exec'].includes(first!))
    const line = few.map((words) => `${program} ${words.map(quoted).join(' ')}`).join('; ')
    const terminal = new PseudoTerminal(line, { columns, cwd })
    await terminal.ended()
    expect(terminal.text).toContain('Run it again:')
    const tooWide = terminal.text.split('\n').filter((each) => widthOf(each) > columns)
    expect(tooWide).toEqual([])
  })
})

function quoted(word: string): string {
  return `'${word}'`
}
