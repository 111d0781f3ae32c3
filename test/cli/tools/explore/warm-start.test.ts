import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ProgramStart } from '../../../../src/cli/tools/explore/program-start.js'
import { Template } from '../../../../src/cli/tools/explore/warm-start.js'
import { findPython } from '../../../interop/find-python.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'

const python = process.platform === 'linux' ? await findPython(9) : undefined

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

/** A start of programs, and the variables of one. */
function started(variables: Readonly<Record<string, string>> = {}) {
  const start = new ProgramStart()
  onTestFinished(() => start.end())
  const { PATH = '' } = process.env
  return { PATH, ...variables, ...start.variables(variables) }
}

/** Starts a program that can be copied until the end of the test. */
async function open(
  command: readonly string[],
  options: Omit<Parameters<typeof Template.open>[1], 'signal'>,
): Promise<Template | undefined> {
  const template = await Template.open(command, {
    ...options,
    signal: new AbortController().signal,
  })
  onTestFinished(() => template?.end())
  return template
}

/** What a program of Python's prints. */
function printedBy(args: readonly string[], env: Record<string, string>): string {
  return execFileSync(python!.command, args, { env, encoding: 'utf8' })
}

describe.skipIf(!python)('a program in Python that is copied', () => {
  /** The import of `own` belongs to the program, so each copy runs it and what follows. */
  const PROGRAM = `"""A program."""
import json, os, sys
from email import message
import own
import time
clock = time.clock_gettime(time.CLOCK_MONOTONIC)
time.sleep(4)
print(json.dumps([__name__, sys.argv[1:], os.getcwd(), os.environ["RUN"], own.runs, time.clock_gettime(time.CLOCK_MONOTONIC) - clock < 4]))
print("bad", file=sys.stderr)
os.kill(os.getpid(), 9) if os.environ["RUN"] == "2" else sys.exit(3)
`
  const OWN = 'import os\nruns = os.environ["RUN"]\n'

  it('runs as if each copy had just started, and imports once', async () => {
    const folder = folderWith({ 'train.py': PROGRAM, 'own.py': OWN })
    const command = [python!.command, join(folder, 'train.py'), 'a', '--b']
    expect(Template.canCopy(command)).toBe(true)
    const env = started({ RUN: '0' })
    const template = (await open(command, { env, cwd: folder, worthIt: 0 }))!
    expect(template.fits(env, folder)).toBe(true)
    expect(template.fits({ ...env, RUN: '1' }, folder)).toBe(false)

    const run = async (number: string) => {
      const [stdout, stderr] = [join(folder, `out-${number}`), join(folder, `err-${number}`)]
      const place = { env: { ...env, RUN: number }, cwd: folder, stdout, stderr }
      const { ended } = (await template.copy(place))!
      const { code } = await ended
      return { code, out: readFileSync(stdout, 'utf8'), err: readFileSync(stderr, 'utf8') }
    }
    const [first, second] = await Promise.all([run('1'), run('2')])
    const line = (number: string) => ['__main__', ['a', '--b'], folder, number, number, true]
    expect(JSON.parse(first.out)).toEqual(line('1'))
    expect(first).toMatchObject({ code: 3, err: 'bad\n' })
    // It is killed before Python writes what it printed to a file.
    expect(second).toMatchObject({ code: 137, out: '' })
    template.end()
    expect(await template.copy({ env, cwd: folder, stdout: '', stderr: '' })).toBeUndefined()
  })

  it('has the variables that its imports set, as if each copy had run them', async () => {
    const folder = folderWith({
      'train.py':
        'import os\nimport sets\nprint(os.environ["ADDED"], os.environ["KEY"], "OLD" in os.environ)\n',
      'site-packages/sets.py':
        'import os\nos.environ["ADDED"] = "by import"\nos.environ["KEY"] = "by import"\ndel os.environ["OLD"]\n',
    })
    const command = [python!.command, join(folder, 'train.py')]
    const env = started({ OLD: '1', KEY: 'own', PYTHONPATH: join(folder, 'site-packages') })
    const template = (await open(command, { env, cwd: folder, worthIt: 0 }))!
    const [stdout, stderr] = [join(folder, 'out'), join(folder, 'err')]
    const copy = (await template.copy({ env, cwd: folder, stdout, stderr }))!
    expect(await copy.ended).toMatchObject({ code: 0 })
    expect(readFileSync(stdout, 'utf8')).toBe('by import by import False\n')
  })

  /** As the runtime of polars does: a thread that no copy has answers what is asked at the end. */
  const WORKER = `import _thread, atexit, queue
asked, answered = queue.SimpleQueue(), queue.SimpleQueue()
def work():
    while True:
        asked.get()
        answered.put(1)
_thread.start_new_thread(work, ())
@atexit.register
def clean():
    asked.put(1)
    answered.get()
`

  it('ends with the code of the program, although a library waits for ever at the end', async () => {
    const program = `import worker
import atexit, os, sys, threading, time
kept = open("kept", "w")
atexit.register(lambda: kept.write(" handler"))
def late():
    time.sleep(2)
    kept.write("thread")
threading.Thread(target=late).start()
exec(os.environ["LAST"])
`
    const folder = folderWith({ 'train.py': program, 'site-packages/worker.py': WORKER })
    const command = [python!.command, join(folder, 'train.py')]
    const env = started({ PYTHONPATH: join(folder, 'site-packages') })
    const template = (await open(command, { env, cwd: folder, worthIt: 0 }))!
    const endOf = async (LAST: string) => {
      const cwd = folderWith({})
      const [stdout, stderr] = [join(cwd, 'out'), join(cwd, 'err')]
      const { ended } = (await template.copy({ env: { ...env, LAST }, cwd, stdout, stderr }))!
      const { code } = await ended
      expect(readFileSync(join(cwd, 'kept'), 'utf8')).toBe('thread handler')
      return { code, last: readFileSync(stderr, 'utf8').trimEnd().split('\n').at(-1) }
    }
    const lasts = ['pass', 'sys.exit(3)', 'sys.exit("bad")', 'raise ValueError("bad")']
    expect(await Promise.all(lasts.map(endOf))).toEqual([
      { code: 0, last: '' },
      { code: 3, last: '' },
      { code: 1, last: 'bad' },
      { code: 1, last: 'ValueError: bad' },
    ])
  })

  it('starts in each run if its imports take no time, or start a thread', async () => {
    const threads =
      'import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()'
    const folder = folderWith({
      'quick.py': 'import json\n',
      'threads.py': 'import starts_thread\n',
      'site-packages/starts_thread.py': threads,
    })
    const env = started({ PYTHONPATH: join(folder, 'site-packages') })
    const openScript = (script: string, options: object) => {
      return open([python!.command, join(folder, script)], { env, cwd: folder, ...options })
    }
    expect(await openScript('quick.py', {})).toBeUndefined()
    expect(await openScript('threads.py', { worthIt: 0 })).toBeUndefined()
  })

  it('loads the sitecustomize of its user, too', () => {
    const site = folderWith({ 'sitecustomize.py': 'print("mine")\n' })
    const env = started({ PYTHONPATH: site })
    expect(printedBy(['-c', 'import sitecustomize; print("ran")'], env)).toBe('mine\nran\n')
  })
})

describe.skipIf(!python)('pauses that are cut', () => {
  it('reach what limits them as if they were not, and no limit of a call beside them', () => {
    const program = `
import asyncio, json, time

polls = 0

async def poll():
    global polls
    while True:
        await asyncio.sleep(1)
        polls += 1

async def main():
    try:
        await asyncio.wait_for(asyncio.gather(poll(), asyncio.sleep(1000)), 120)
    except asyncio.TimeoutError:
        # A busy machine needs time between pauses, too: there are a few less than 120.
        print(json.dumps(60 < polls <= 121))
    try:
        await asyncio.wait_for(asyncio.sleep(10000), 60)
    except asyncio.TimeoutError:
        print("a minute")
    beside = asyncio.ensure_future(poll())
    loop = asyncio.get_running_loop()
    await asyncio.wait_for(loop.run_in_executor(None, len, [1]), 59)
    beside.cancel()

asyncio.run(main())
end, left = time.time() + 60, 30
while time.time() < end:
    time.sleep(2)
    left -= 1
print(json.dumps(0 <= left < 15))
`
    const folder = folderWith({ 'poll.py': program })
    // 120 seconds take 0.6, so that a busy machine has time for most polls.
    const env = { ...started(), SVTRAIN_PACE: '200' }
    expect(printedBy([join(folder, 'poll.py')], env)).toBe('true\na minute\ntrue\n')
  })

  it('pass on all clocks of the module time alike, and can be sent to another process', () => {
    const program = `
import asyncio, json, pickle, time

names = ["time", "monotonic", "perf_counter"]
clocks = [getattr(time, name) for name in names]
clocks += [lambda name=name: getattr(time, name + "_ns")() / 1e9 for name in names]
before = [clock() for clock in clocks]
time.sleep(20)
asyncio.run(asyncio.sleep(20))
print(json.dumps([round((clock() - start) / 10) for clock, start in zip(clocks, before)]))
print(pickle.loads(pickle.dumps([time.sleep, time.time])) == [time.sleep, time.time])
`
    const folder = folderWith({ 'clocks.py': program })
    const env = { ...started(), SVTRAIN_PACE: '200' }
    expect(printedBy([join(folder, 'clocks.py')], env)).toBe('[4, 4, 4, 4, 4, 4]\nTrue\n')
  })
})

describe('a command', () => {
  it.each([
    ['python -m pytest', false],
    ['python -I train.py', false],
    ['node loop.mjs', false],
    ['uv run python train.py', false],
  ])('%s is not copied', (command, can) => {
    expect(Template.canCopy(command.split(' '))).toBe(can)
  })
})

describe('a program in Node', () => {
  it('makes short pauses, and its timers stay', () => {
    const folder = folderWith({
      'pause.mjs': `
        import { scheduler, setTimeout as sleep } from 'node:timers/promises'
        const start = performance.now()
        await sleep(4000, 'value')
        await scheduler.wait(4000)
        console.log(performance.now() - start < 8000, await sleep(1, 'value'))
      `,
    })
    const printed = execFileSync(process.execPath, [join(folder, 'pause.mjs')], {
      env: started(),
      encoding: 'utf8',
    })
    expect(printed).toBe('true value\n')
  })
})
