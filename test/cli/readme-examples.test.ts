import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { blocks } from '../support/readme.js'
import { startReceiver } from '../support/receiver.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { signed } from '../webhooks/sender.js'
import { assertBuilt, clientAt, Command, runJob, start } from './command.js'
import { createModel } from '../support/trainer.js'

/** The arguments of `npx svtrain-emulator` in each line of the README that contains a text. */
function called(part: string): string[][] {
  const lines = blocks('sh').flatMap((block) => block.split('\n'))
  const found = lines.filter((line) => line.includes(part))
  expect(found).not.toEqual([])
  return found.map((line) => {
    const words = line.match(/'[^']*'|\S+/g)!.map((word) => word.replaceAll("'", ''))
    expect(words.splice(0, 2)).toEqual(['npx', 'svtrain-emulator'])
    return words
  })
}

describe("the README's examples on the command line", { timeout: 60_000 }, () => {
  beforeAll(assertBuilt)

  it('are all tested, here or in another test', () => {
    const tried = {
      'test/package': ['npx svtrain-emulator --scenario failing-job\n'],
      'test/readme.test.ts': ['curl -s "$SVTRAIN_BASE_URL', 'sign --secret', 'clock/advance'],
      here: [
        'play',
        'completion',
        '--webhook',
        'sink --secret',
        'exec',
        '--data',
        'snapshot export',
      ],
      '.ci/run': ['npm ci && npm test'],
      'test/soak': ['npm run soak'],
      'by hand, for minutes': ['npm run bench'],
    }
    const parts = Object.values(tried).flat()
    const strangers = blocks('sh').filter((block) => !parts.some((part) => block.includes(part)))
    expect(strangers).toEqual([])
  })

  it('play a scenario and print what the README shows', async () => {
    const playing = new Command(called(' play ')[0]!)
    expect(await playing.ended()).toBe(0)
    const shown = blocks('text').find((block) => block.startsWith('+0.00s'))
    expect(playing.stdout).toContain(shown)
  })

  it('call a webhook', async () => {
    const receiver = await startReceiver()
    const words = called(' --webhook ')[0]!
    const emulator = start(words.map((word) => (word.startsWith('http:') ? receiver.url : word)))
    await runJob((await emulator.ready()).training)
    await emulator.says(/RUN_STATE/)
    expect(receiver.bodies()).toContainEqual(expect.objectContaining({ event_type: 'RUN_STATE' }))
  })

  it('record what a sink receives', async () => {
    const cwd = temporaryFolder()
    const words = called(' sink ')[0]!
    const sink = new Command([...words, '--port', '0'], { cwd })
    const [url] = await sink.says(/http:\/\/127\.0\.0\.1:\d+/)
    const answer = await fetch(url, signed({ event_type: 'RUN_STATE' }))
    expect(await answer.json()).toMatchObject({ verdict: 'valid' })
    const file = words[words.indexOf('--out') + 1]!
    const [line] = readFileSync(join(cwd, file), 'utf8').split('\n')
    expect(JSON.parse(line!)).toMatchObject({ verdict: 'valid', body: { event_type: 'RUN_STATE' } })
  })

  it('run the tests of a user', async () => {
    const words = called(' exec ')[0]!
    const ofOurs = words.slice(0, words.indexOf('--') + 1)
    const theirs = `console.log(process.env.OPENAI_BASE_URL); process.exitCode = 3`
    const running = new Command([...ofOurs, process.execPath, '--eval', theirs])
    expect(await running.ended()).toBe(3)
    expect(running.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/m)
  })

  it('keep a world in a data folder', async () => {
    const cwd = temporaryFolder()
    const words = called(' --data ')[0]!
    const first = start(words, { cwd })
    const { id } = await createModel(clientAt((await first.ready()).training), 'poet')
    first.process.kill('SIGKILL')
    await first.ended()
    const { training } = await start(words, { cwd }).ready()
    const answer = await clientAt(training).get(`/preview/models/${id}/checkpoints`)
    expect(answer.status).toBe(200)
  })

  it('take a snapshot, show it, and continue with it', async () => {
    const cwd = temporaryFolder()
    const { training } = await start([]).ready()
    await runJob(training, 'poet')
    const at = ['--url', training]
    const printed: string[] = []
    for (const words of called(' snapshot ')) {
      const command = new Command([...words, ...(words.includes('show') ? [] : at)], { cwd })
      expect(await command.ended()).toBe(0)
      expect(existsSync(join(cwd, 'world.json'))).toBe(true)
      printed.push(command.stdout)
    }
    expect(printed[1]).toMatch(/poet/)
  })
})
