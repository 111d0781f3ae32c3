import { describe, expect, it } from 'vitest'
import { painterFor } from '../../src/cli/terminal.js'
import { requestLog, type Log } from '../../src/cli/request-log.js'
import { widthOf } from '../../src/cli/text-width.js'
import {
  Journal,
  type JobEntry,
  type JournalEntry,
  type RequestEntry,
} from '../../src/service/engine/journal.js'
import { VIRTUAL_START } from '../../src/base/clock/clock.js'

const call = { method: 'GET', path: '/slow', query: '', headers: {}, body: new Uint8Array() }

// As it prints itself: headers and body of a real one are not among its own properties.
const request = {
  kind: 'request',
  id: 7,
  at: VIRTUAL_START,
  host: 'training',
  method: 'POST',
  path: '/v1/preview/training-jobs',
  query: '',
  operation: 'createRlTrainingJob',
  status: 200,
  took: 3.0642,
  effects: ['queued RL job 1234 on my-model: 4 trajectories in 2 groups'],
} as RequestEntry

const job: JobEntry = {
  kind: 'job',
  id: 8,
  at: VIRTUAL_START,
  cause: 7,
  jobId: '12345678-0000-4000-8000-000000000000',
  modelName: 'my-model',
  event: 'gradient_step',
  text: 'gradient step 1 of 4',
}

function newRequest(sent = call): RequestEntry {
  return new Journal(() => VIRTUAL_START).open('training', sent)
}

/** A copy of a request has no headers, so it becomes one with headers. */
function recorded(entry: JournalEntry): JournalEntry {
  const isCopy = entry.kind === 'request' && !('headers' in entry)
  return isCopy ? Object.assign(newRequest(), entry) : entry
}

function logged(entry: JournalEntry, { world, ...to }: LogTo & { world?: string } = {}): string {
  const { log, lines } = logTo(to)
  log(entry, { world })
  return lines.join('\n')
}

function logTo({ format = 'pretty', isTTY = false, columns, now = () => 0 }: LogTo = {}) {
  const lines: string[] = []
  const output = {
    write: (line: string) => void lines.push(line),
    paint: painterFor({ isTTY }, {}),
    ...(columns !== undefined && { columns: () => columns }),
  }
  const { log, flush } = requestLog(format, output, { now })
  const logRecorded: Log = (entry, source) => log(recorded(entry), source)
  return { log: logRecorded, flush, lines }
}

/** Logs a journal with a delivery that is under way. */
function logDelivery(now = () => VIRTUAL_START) {
  const { log, flush, lines } = logTo()
  const journal = new Journal(now)
  journal.subscribe((entry) => log(entry, { journal }))
  const sent = { deliveryId: 'a', attempt: 1, webhook: 'hook', url: 'http://a', event: 'E' }
  const delivery = journal.delivery({ ...sent, text: 'E to hook: under way' })
  return { journal, delivery, flush, lines }
}

interface LogTo {
  format?: 'pretty' | 'json' | 'silent'
  isTTY?: boolean
  columns?: number | undefined
  now?: () => number
}

describe('the request log', () => {
  it('shows the time, status, method and path, and below them what the engine did', () => {
    expect(logged(request)).toBe(
      '00:00:00  200  POST /v1/preview/training-jobs 3.1 ms\n' +
        '               → queued RL job 1234 on my-model: 4 trajectories in 2 groups',
    )
  })

  it('says when a new day begins on the clock', () => {
    const { log, lines } = logTo()
    log({ ...job, at: VIRTUAL_START })
    log({ ...job, at: VIRTUAL_START + 24 * 60 * 60 * 1000 })
    expect(lines[1]).toBe('── 2026-01-02 ──')
    expect(lines[2]).toMatch(/^00:00:00 /)
  })

  it('shows one clock: no line has an earlier time than the line above', () => {
    let now = VIRTUAL_START
    const { journal, delivery, lines } = logDelivery(() => now)
    const slow = journal.open('training', call)
    now += 2000
    journal.receipt({ recordId: '1', verdict: 'valid', text: 'POST /', cause: delivery.id })
    journal.job(job, () => ({ text: 'started' }))
    now += 2000
    journal.delivered(delivery, { status: 200, text: 'E to hook: 200' })
    journal.close(slow, 4)
    expect(lines.map((line) => line.slice(6, 8))).toEqual(['02', '04', '04', '04'])
  })

  describe('folds long runs as the trace does', () => {
    const step = (id: number, more: Partial<JobEntry> = {}): JobEntry => {
      return { ...job, id, text: `step ${id} of 2000`, ...more }
    }
    const poll = (id: number, status: number): RequestEntry => {
      return { ...request, id, method: 'GET', path: '/jobs', status, effects: [] }
    }
    const textsOf = (lines: readonly string[]): string[] => {
      return lines.map((line) => line.slice(15).replaceAll(/^my-model 12345678 | [\d.]+ ms$/g, ''))
    }

    it('when they come at once, and never the end, a failure or another event', () => {
      const { log, lines } = logTo()
      for (let id = 1; id <= 2000; id++) log(step(id))
      log({ ...job, event: 'training_failed', text: 'failed: out of memory' })
      expect(textsOf(lines)).toEqual([
        'step 1 of 2000',
        'step 2 of 2000',
        '… 1996 more like my-model 12345678 step 3 of 2000',
        'step 1999 of 2000',
        'step 2000 of 2000',
        'failed: out of memory',
      ])
    })

    it('also when a client polls between them, and each job for itself', () => {
      const { log, flush, lines } = logTo()
      for (let id = 1; id <= 50; id++) {
        log(poll(id, 200))
        log(step(id))
        if (id === 1) log(step(id, { jobId: '22222222' }))
      }
      flush()
      const texts = textsOf(lines)
      expect(texts.filter((text) => text.startsWith('… 46 more'))).toHaveLength(2)
      expect(texts.filter((text) => !text.startsWith('…'))).toEqual([
        'GET /jobs',
        'step 1 of 2000',
        'my-model 22222222 step 1 of 2000',
        'GET /jobs',
        'step 2 of 2000',
        'GET /jobs',
        'step 49 of 2000',
        'GET /jobs',
        'step 50 of 2000',
      ])
    })

    it('but no refusals', () => {
      const { log, lines } = logTo()
      for (let id = 1; id <= 9; id++) log(poll(id, 404))
      expect(lines).toHaveLength(9)
    })

    it('but not what comes one by one: each line appears at once', () => {
      let now = 0
      const { log, lines } = logTo({ now: () => now })
      for (let id = 1; id <= 9; id++) {
        now += 101
        log(step(id))
        expect(lines).toHaveLength(id)
      }
    })

    it('but not in JSON: there is an object for each entry', () => {
      const { log, lines } = logTo({ format: 'json' })
      for (let id = 1; id <= 50; id++) log(step(id))
      expect(lines).toHaveLength(50)
    })
  })

  it('shows the events of jobs, and names the world of each entry', () => {
    expect(logged(job)).toBe('00:00:00   ·   my-model 12345678 gradient step 1 of 4')
    expect(logged(job, { world: 'alice' })).toBe(
      '00:00:00 alice   ·   my-model 12345678 gradient step 1 of 4',
    )
    expect(JSON.parse(logged(job, { world: 'alice', format: 'json' }))).toMatchObject({
      world: 'alice',
    })
  })

  it('shortens ids in paths if the line would not fit', () => {
    const path = '/v1/preview/training-jobs/12345678-0000-4000-8000-000000000000'
    const read = { ...request, method: 'GET', path, effects: [] }
    expect(logged(read, { columns: 80 })).toBe(
      '00:00:00  200  GET /v1/preview/training-jobs/12345678… 3.1 ms',
    )
    for (const columns of [120, undefined]) {
      expect(logged(read, { ...(columns && { columns }) })).toContain(path)
    }
  })

  it.each([60, 80, 120, 200])('fits a terminal of %i columns', (columns) => {
    const detail = 'body.trajectory_groups.0.reward: Field required, and 2 more'
    const refused = { ...request, status: 422, detail }
    for (const line of logged(refused, { columns, isTTY: true }).split('\n')) {
      expect(widthOf(line)).toBeLessThanOrEqual(columns)
    }
  })

  it('shows a delivery before its receipt, although the receipt is recorded first', () => {
    const { journal, delivery, lines } = logDelivery()
    journal.receipt({ recordId: '1', verdict: 'valid', text: 'POST /, valid', cause: delivery.id })
    expect(lines).toEqual([])
    journal.delivered(delivery, { status: 200, text: 'E to hook: 200' })
    journal.receipt({ recordId: '2', verdict: 'valid', text: 'POST /, again', cause: delivery.id })
    expect(lines).toEqual([
      '00:00:00   ⇢   E to hook: 200',
      '00:00:00   ⇠   POST /, valid',
      '00:00:00   ⇠   POST /, again',
    ])
  })

  it('shows a call before the warnings about it, although they are recorded first', () => {
    const { log, lines } = logTo()
    const journal = new Journal(() => VIRTUAL_START)
    journal.subscribe((entry) => log(entry, { journal }))
    const entry = journal.open('training', call)
    journal.note('warning: it is slow', entry.id)
    journal.note('fault "lock" opens')
    expect(lines).toEqual(['00:00:00       fault "lock" opens'])
    entry.status = 200
    journal.close(entry, 1)
    journal.note('GET /slow hangs no more', entry.id)
    expect(lines.slice(1)).toEqual([
      '00:00:00  200  GET /slow 1.0 ms',
      '00:00:00       warning: it is slow',
      '00:00:00       GET /slow hangs no more',
    ])
  })

  it('shows a receipt whose delivery is still under way when the program stops, once', () => {
    const { journal, delivery, flush, lines } = logDelivery()
    journal.receipt({ recordId: '1', verdict: 'valid', text: 'POST /, valid', cause: delivery.id })
    expect(lines).toEqual([])
    flush()
    flush()
    expect(lines).toEqual(['00:00:00   ⇠   POST /, valid'])
  })

  it.each([
    ['hang', undefined, '---  POST /v1/preview/training-jobs hangs'],
    ['disconnect', undefined, '---  POST /v1/preview/training-jobs connection dropped 3.1 ms'],
    ['hang', 200, '200  POST /v1/preview/training-jobs hangs half-way'],
  ] as const)('shows how a response was lost: %s, status %s', (lost, status, shown) => {
    const { status: _status, ...rest } = request
    const entry = { ...rest, lost, effects: [], ...(status && { status }) } as RequestEntry
    expect(logged(entry)).toBe(`00:00:00  ${shown}`)
  })

  it('shows why a request was refused, as text and as JSON', () => {
    const detail = 'body.project: Field required, and 2 more'
    const refused = { ...request, path: '/v1/preview/models', status: 422, effects: [], detail }
    expect(logged(refused)).toBe(
      `00:00:00  422  POST /v1/preview/models 3.1 ms\n               ${detail}`,
    )
    expect(JSON.parse(logged(refused, { format: 'json' }))).toMatchObject({ status: 422, detail })
  })

  it('shows an internal error of the emulator', () => {
    const fault = Object.assign(new Error('oh\u001b[2J no'), {
      stack: 'Error: oh\u001b[2J no: a-long-secret\n    at x',
    })
    const headers = { authorization: 'Bearer a-long-secret' }
    const entry = newRequest({ ...call, headers })
    expect(logged(Object.assign(entry, { status: 500, took: 3.1, fault }))).toBe(
      '00:00:00  500  GET /slow 3.1 ms\n' +
        '               Error: oh\\u001b[2J no: [not shown]\n    at x',
    )
  })

  it('colors the status on a terminal', () => {
    const { effects: _effects, ...rest } = request
    const line = (status: number): string => {
      return logged({ ...rest, status, effects: [] }, { isTTY: true })
    }
    expect(line(200)).toContain('\u001b[32m200\u001b[39m')
    expect(line(404)).toContain('\u001b[33m404\u001b[39m')
    expect(line(500)).toContain('\u001b[31m500\u001b[39m')
  })

  const warning: JournalEntry = {
    kind: 'note',
    id: 9,
    at: VIRTUAL_START,
    text: 'warning: the client slept',
    warning: { name: 'sleeping-client', docs: 'warnings' },
  }
  const steering = 'x\u001b[2J\u009b\r\n\u202e\u2028'

  it('is one JSON object per line', () => {
    expect(JSON.parse(logged(request, { format: 'json' }))).toEqual({
      time: '2026-01-01T00:00:00.000Z',
      kind: 'request',
      id: 7,
      host: 'training',
      method: 'POST',
      path: '/v1/preview/training-jobs',
      query: '',
      operation: 'createRlTrainingJob',
      status: 200,
      took: 3.064,
      effects: ['queued RL job 1234 on my-model: 4 trajectories in 2 groups'],
    })
  })

  it('escapes control characters in JSON without changing the value', () => {
    const line = logged({ ...job, text: `${steering}"\\` }, { format: 'json' })
    // oxlint-disable-next-line no-control-regex
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e\u2028]/)
    expect(JSON.parse(line).text).toBe(`${steering}"\\`)
  })

  it('has a warning as an object with its name and its page', () => {
    expect(JSON.parse(logged(warning, { format: 'json' }))).toEqual({
      time: '2026-01-01T00:00:00.000Z',
      kind: 'note',
      id: 9,
      text: 'warning: the client slept',
      warning: { name: 'sleeping-client', docs: 'warnings' },
    })
    expect(logged(warning)).toContain('warning: the client slept')
  })
})
