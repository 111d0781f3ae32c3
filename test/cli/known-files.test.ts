import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openWebhookSink } from '../../src/compose/create-sink.js'
import { banner, readyEntry } from '../../src/cli/banner.js'
import { junitXml } from '../../src/cli/failure/junit.js'
import { requestLog } from '../../src/cli/request-log.js'
import { printableJson } from '../../src/cli/terminal.js'
import type { Emulator } from '../../src/index.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { submit } from '../support/trainer.js'
import { refused, run } from './commands.js'
import { serveInProcess } from './in-process.js'
import { started } from './banner-facts.js'
import { listening } from './listening.js'

const SCENARIO = 'Make a scenario of it: svtrain-emulator scenarios from FILE --to incident.yaml'

const LOG = {
  what: 'the log of an emulator',
  toDo: 'Its first lines name the scenario and the seed, with which the same happens again: svtrain-emulator --scenario <name> --seed <seed>. What a client met is in the page that svtrain-emulator report writes',
}

function logOf({ journal }: Emulator): string {
  const lines: string[] = []
  const { log } = requestLog('json', {
    write: (line) => void lines.push(line),
    paint: (_, text) => text,
  })
  for (const entry of journal.entries) log(entry)
  return lines.join('\n')
}

/** What programs write, each with what it is and what takes it. `FILE` is its path. */
const FILES: Readonly<
  Record<
    string,
    {
      write: (emulator: Emulator, url: string, job: string) => Promise<string>
      what: string
      toDo: string
    }
  >
> = {
  'state.json': {
    write: async (emulator) => JSON.stringify(await emulator.snapshot(), null, 1),
    what: 'a snapshot',
    toDo: `Start with --import FILE to continue from it. ${SCENARIO}`,
  },
  'report.html': {
    write: (emulator) => emulator.report(),
    what: 'a page, such as a report',
    toDo: SCENARIO,
  },
  'requests.har': {
    write: async (emulator) => JSON.stringify(await emulator.har(), null, 2),
    what: 'a HAR file',
    toDo: SCENARIO,
  },
  'recording.ndjson': {
    write: () => Promise.resolve('{"type":"recording"}'),
    what: 'a recording',
    toDo: SCENARIO,
  },
  'trace.txt': {
    write: async (_, url) => (await run(`trace --url ${url}`)).stdout,
    what: 'a trace',
    toDo: SCENARIO,
  },
  'trace.json': {
    write: async (_, url) => (await run(`trace --json --url ${url}`)).stdout,
    what: 'a trace as JSON',
    toDo: 'It names no scenario. Take the trace as text, without --json, or a snapshot: svtrain-emulator snapshot export state.json',
  },
  'events.json': {
    write: (_, url, job) => eventsOf(url, job),
    what: 'the events of a job',
    toDo: SCENARIO,
  },
  'junit.xml': {
    write: () => Promise.resolve(junitXml({ name: 'a', properties: {}, cases: [], took: 1 })),
    what: 'a JUnit report',
    toDo: 'It is for CI. Take the page of the same run, which --report writes',
  },
  'server.log': {
    write: () => Promise.resolve(banner(started, { paint: (_style, text) => text })),
    ...LOG,
  },
  'server.ndjson': {
    write: () => Promise.resolve(printableJson(readyEntry(started))),
    ...LOG,
  },
  'requests.ndjson': { write: (emulator) => Promise.resolve(logOf(emulator)), ...LOG },
  'rows.jsonl': {
    write: () => Promise.resolve('{"messages": [{"role": "user", "content": "Sing."}]}\n'),
    what: 'training data',
    toDo: 'Check it: svtrain-emulator check-data FILE',
  },
}

async function eventsOf(url: string, job: string, query = ''): Promise<string> {
  return (await fetch(`${url}/_emulator/jobs/${job}/events${query}`)).text()
}

async function used(): Promise<{ emulator: Emulator; url: string; job: string }> {
  const emulator = await listening({ clock: 'instant' })
  const job = await submit(emulator)
  await emulator.settle()
  return { emulator, url: new URL(emulator.trainingUrl).origin, job }
}

function written(name: string, text: string): string {
  const file = join(temporaryFolder(), name)
  writeFileSync(file, text)
  return file
}

describe('a file in the wrong place', () => {
  it.each(Object.keys(FILES))('is named, with what takes it: %s', async (name) => {
    const { emulator, url, job } = await used()
    const { write, what, toDo } = FILES[name]!
    const file = written(name, await write(emulator, url, job))
    const known = toDo.replaceAll('FILE', file)
    const { stderr } = await run(`scenarios check ${file}`)
    expect(stderr).toContain(
      `it is ${what}, not a scenario. ${toDo.replaceAll('FILE', relative('', file))}`,
    )
    expect((await refused(`trace ${file}`)).message).toContain(
      `trace takes none. It is ${what}. ${known}.`,
    )
    const serving = serveInProcess(['--data', file], { cwd: temporaryFolder() })
    await expect(serving).rejects.toThrow(`it is ${what}, not a folder. ${known}.`)
    if (what !== 'a snapshot') {
      await expect(run(`snapshot show ${file}`)).rejects.toThrow(
        `it is ${what}, not a snapshot. ${known}`,
      )
    }
    if (what !== 'training data') {
      expect((await refused(`check-data ${file}`)).message).toBe(
        `${file} is ${what}, not training data. ${known}.`,
      )
    }
    expect((await refused(`sink replay ${file} --to http://127.0.0.1:9`)).message).toContain(
      `is ${what}, not a file of deliveries.`,
    )
  })

  it('may have deliveries, which sink replay takes', async () => {
    const file = join(temporaryFolder(), 'deliveries.ndjson')
    await using sink = await openWebhookSink({ out: file })
    await sink.fetch(`${sink.url}/hook`, { method: 'POST', body: '{}' })
    const { stderr } = await run(`scenarios from ${file}`)
    expect(stderr).toContain(
      `"${file}" is a file of deliveries. Send them again: svtrain-emulator sink replay ${file} --to <URL of your receiver>`,
    )
    expect((await run(`scenarios check ${file}`)).stderr).toContain(
      'deliveries, not a scenario. Send',
    )
  })

  it('may be a data folder, or its world', async () => {
    const data = temporaryFolder()
    const emulator = await listening({ data })
    await submit(emulator)
    await emulator.close()
    const { stderr } = await run(`play ${data}/`).catch((error: unknown) => ({
      stderr: String(error),
    }))
    expect(stderr).toContain(
      `it is a data folder, not a scenario. Make a scenario of it: svtrain-emulator scenarios from ${relative('', data)} --to`,
    )
    expect((await run(`scenarios check ${data}/world.ndjson`)).stderr).toContain(
      'it is the world of a data folder, not a scenario. Start with --data and its folder',
    )
  })

  it('may be the id of a job', async () => {
    const id = '0cd7ed71-2b34-4ac1-877f-0ca9a737d0ce'
    const hint = `It looks like the id of a job, which has an option: trace --job ${id}, or scenarios from --job ${id} --url <URL of the training API>.`
    expect((await run(`scenarios from ${id}`)).stderr).toContain(`there is no such file in `)
    expect((await run(`scenarios from ${id}`)).stderr).toContain(hint)
    expect((await refused(`trace ${id}`)).message).toBe(
      `Unexpected argument "${id}". trace takes none. ${hint}`,
    )
    await expect(run(`snapshot show ${id}`)).rejects.toThrow(hint)
  })
})

describe('scenarios from', () => {
  it('takes the events of a job as the control API has them', async () => {
    const { emulator, url, job } = await used()
    const made = await run(`scenarios from ${written('events.json', await eventsOf(url, job))}`)
    const listed = await fetch(`${emulator.trainingUrl}/preview/training-jobs/${job}/events`, {
      headers: { authorization: 'Bearer any' },
    })
    const other = await run(`scenarios from ${written('events.json', await listed.text())}`)
    expect(made.code).toBe(0)
    expect(made.stdout).toContain('event: training_ended')
    expect(made.stdout.replaceAll(/^#.*\n/gm, '')).toBe(other.stdout.replaceAll(/^#.*\n/gm, ''))
  })

  it('refuses a part of the events, and a trace as JSON, and says what to take', async () => {
    const { url, job } = await used()
    const part = written('events.json', await eventsOf(url, job, '?limit=2'))
    expect(await run(`scenarios from ${part}`)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /has 2 of the \d+ events of the job\. Get all: add \?limit=1000/,
      ),
    })
    const trace = written('trace.json', (await run(`trace --json --url ${url}`)).stdout)
    expect((await run(`scenarios from ${trace}`)).stderr).toContain(
      `"${trace}" is a trace as JSON. It names no scenario. Take the trace as text, without --json`,
    )
  })

  it.each([
    ['requests.har', '{"log": {"entries": ['],
    ['state.json', '{"format": "svtrain-emulator snapshot", "ver'],
  ])('exits with 2 for a damaged file: %s', async (name, text) => {
    expect((await run(`scenarios from ${written(name, text)}`)).code).toBe(2)
  })
})
