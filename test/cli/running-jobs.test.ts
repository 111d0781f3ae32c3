import { expect, it } from 'vitest'
import { StatusArea } from '../../src/cli/status-area.js'
import { terminalOf } from '../../src/cli/terminal.js'
import { lineFor, showRunningJobs } from '../../src/cli/running-jobs.js'
import { createEmulator } from '../../src/index.js'

const plain = (_style: unknown, text: string): string => text

/** Simulates a terminal that supports only the two control codes in use. */
function screen(written: string): string {
  let lines = ['']
  const legible = written.replaceAll('\u001b', 'ESC')
  for (const part of legible.split(/(ESC\[\d+A\rESC\[J|\n)/)) {
    const up = /^ESC\[(\d+)A/.exec(part)
    if (up) lines = [...lines.slice(0, lines.length - 1 - Number(up[1])), '']
    else if (part === '\n') lines.push('')
    else lines[lines.length - 1] += part
  }
  return lines.join('\n')
}

function terminal({ isTTY = true, columns = 80 } = {}, environment = {}) {
  let written = ''
  const write = (text: unknown): boolean => {
    written += String(text)
    return true
  }
  const stream = { write, isTTY, columns } as NodeJS.WriteStream
  return { ...terminalOf(stream, stream, environment), shows: () => screen(written) }
}

async function running(name = 'poet') {
  const emulator = createEmulator({ clock: 'manual', scenario: 'happy-path' })
  const { id } = await emulator.jobs.start({ model: await emulator.models.create({ name }) })
  emulator.clock.advance('2s')
  return { emulator, job: emulator.engine.store.jobs.get(id)! }
}

it('the list of running jobs shows state, steps and last metrics in one line per job', async () => {
  const { job } = await running()
  expect(lineFor(job, { paint: plain, columns: 100 })).toMatch(
    /^poet [0-9a-f]{8} █{1,19}░{1,19} running, step \d+ of \d+, loss [\d.]+, reward [\d.]+$/,
  )
  expect(lineFor(job, { paint: plain, columns: 80 })).toContain('█')
  expect(lineFor(job, { paint: plain, columns: 40 }).length).toBeLessThan(40)
  expect(lineFor(job, { paint: plain, columns: 40 })).not.toContain('█')
})

it('the list of running jobs stays below other output, and loses the jobs that end', async () => {
  const { emulator, job } = await running()
  const { statusArea, paint, write, shows } = terminal()
  const stop = showRunningJobs(emulator, { statusArea: statusArea!, paint })
  const drawn = new Promise<void>((resolve) => {
    const show = statusArea!.show.bind(statusArea)
    statusArea!.show = (lines) => {
      show(lines)
      resolve()
    }
  })
  emulator.clock.advance('1s')
  await drawn
  write('GET /v1/health 200')
  write('GET /v1/health 503')
  expect(shows()).toMatch(/^GET \/v1\/health 200\nGET \/v1\/health 503\npoet .*running, step .*\n$/)
  emulator.jobs.fail(job.id)
  stop()
  expect(shows()).toBe('GET /v1/health 200\nGET /v1/health 503\n')
})

it('there is no list of running jobs without a capable terminal', () => {
  expect(terminal({ isTTY: false }).statusArea).toBeUndefined()
  expect(terminal({}, { TERM: 'dumb' }).statusArea).toBeUndefined()
})

it.each([60, 80, 120, 200])('a running job fits into %i columns', async (columns) => {
  const { job } = await running(`poet-${'x'.repeat(80)}`)
  const line = lineFor(job, { paint: plain, columns })
  expect(line.length).toBeLessThan(columns)
  expect(line).toContain('running, step ')
})

it('a stalled job that is still queued is shown as both', async () => {
  const emulator = createEmulator({ clock: 'manual', scenario: 'happy-path' })
  const { id } = await emulator.jobs.start()
  const job = emulator.engine.store.jobs.get(id)!
  job.progress.stalled = { remaining: 0 }
  expect(lineFor(job, { paint: plain, columns: 100 })).toContain(' queued, stalled, step 0 of ')
})

it('a terminal that becomes narrower breaks the lines, and all of their rows are removed', () => {
  let columns = 80
  let written = ''
  const write = (text: string): void => void (written += text)
  const area = new StatusArea({ write, size: () => ({ columns, rows: 24 }) })
  area.show(() => ['x'.repeat(70), 'y'])
  columns = 30
  written = ''
  area.resized()
  // Three rows for 70 characters, and one for the other line.
  expect(written).toContain('\u001b[4A')
  expect(written).toContain(`${'x'.repeat(70)}\ny\n`)
})
