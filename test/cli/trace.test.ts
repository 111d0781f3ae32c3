import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { traceLines } from '../../src/cli/report/trace-lines.js'
import { linesOfWorld } from '../../src/emulator/testing/trace.js'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/index.js'
import { createClient } from '../../src/client.js'
import { clientOf, withKey } from '../support/api-client.js'
import { served } from '../support/served.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { submit } from '../support/trainer.js'
import { rolloutsOf, sampleGroup } from '../support/rollouts.js'
import { refused, run } from './commands.js'
import { listening } from './listening.js'

const running = (options: EmulatorOptions = {}) => listening({ clock: 'manual', ...options })

/** What `trace` prints about an emulator. */
async function traced(emulator: Emulator, options = ''): Promise<string> {
  return (await run(`trace --emulator ${emulator.trainingUrl}${options}`)).stdout
}

describe('svtrain-emulator trace', () => {
  it('prints what happened in a running emulator, and what is scheduled', async () => {
    const emulator = await running({ scenario: 'failing-job' })
    await submit(emulator)
    emulator.clock.advance('2s')
    const { code, stdout } = await run(`trace --emulator ${emulator.trainingUrl}`)
    expect({ code, stdout }).toEqual({ code: 0, stdout: emulator.trace() })
    expect(stdout).toMatch(/\nNow \+2\.00s\. Scheduled:\n {2}\+\S+ {2}→ poet \w+ step 2 of \d+$/)
  })

  const ofSink = { ready: true, note: 'This is a webhook sink.' }

  it.each([
    [200, 'text/html', '<h1>mine</h1>', ''],
    [401, 'text/html', '<h1>mine</h1>', ''],
    [404, 'text/html', '<h1>mine</h1>', ''],
    [200, 'application/json', JSON.stringify(ofSink), `, and says: "${ofSink.note}"`],
    [200, 'application/octet-stream', 'ok', ''],
    [200, 'text/plain', 'ok', ''],
    [204, 'text/plain', '', ''],
  ])(
    'says that another server answers there, and which address is meant: %i, %s',
    async (status, type, body, says) => {
      const url = await served((_request, response) => {
        response.writeHead(status, { 'content-type': type }).end(body)
      })
      const file = join(temporaryFolder(), 'requests.har')
      const commands = ['trace', 'trace --checks', 'trace --lineage', 'trace --json']
      for (const command of [...commands, `report --har ${file}`, `report --to ${file}.html`]) {
        // The older name of --emulator.
        const { code, stdout, stderr } = await run(`${command} --url ${url}`)
        expect({ code, stdout, stderr }).toEqual({
          code: 1,
          stdout: '',
          stderr: `Failed to reach an emulator at ${url}/_emulator. Another server answers there, with status ${status}${says}. The training API of an emulator is at an address such as http://127.0.0.1:4600/v1. Start one with: npx svtrain-emulator`,
        })
      }
      expect(existsSync(file)).toBe(false)
      await expect(run(`mcp --emulator ${url}`)).rejects.toThrow('Another server answers there')
    },
  )

  it('leaves nothing out with --all', async () => {
    const emulator = await running()
    const api = clientOf(emulator)
    for (let call = 0; call < 40; call++) await api.get('/preview/base-models')
    const calls = async (options = ''): Promise<number> => {
      return (await traced(emulator, options)).match(/GET \/v1\/preview\/base-models/g)!.length
    }
    expect(await calls()).toBe(5)
    expect(await calls(' --all')).toBe(40)
  })

  it('prints one job, or the same as JSON', async () => {
    const emulator = await running()
    const job = await submit(emulator)
    await submit(emulator, 'painter')
    const shown = await traced(emulator, ` --job ${job}`)
    expect(shown).toContain('on poet')
    expect(shown).not.toContain('painter')
    const { entries } = JSON.parse(await traced(emulator, ` --job ${job} --json`))
    // The same order and the same words.
    const places = entries.map(({ text }: { text: string }) => shown.indexOf(text))
    expect(places).toEqual(places.toSorted((one: number, other: number) => one - other))
    expect(places[0]).toBeGreaterThan(0)
  })

  it('begins with what failed, and prints 30 lines, or all of them', async () => {
    const emulator = await running()
    const { get } = clientOf(emulator)
    await get('/lost')
    for (let call = 0; call < 20; call++) await submit(emulator, `model-${call}`)
    const lines = (await traced(emulator)).split('\n')
    expect(lines.slice(0, 2)).toEqual(['What failed:', expect.stringContaining('GET /v1/lost 404')])
    expect(lines[3]).toBe('  … 11 lines before these: --all shows them')
    expect(lines.findIndex((line) => line.startsWith('Now'))).toBe(4 + 30)
    const all = await traced(emulator, ' --all')
    expect(all).not.toContain('lines before these')
    expect(all).toContain('model-0')
  })

  it('prints the worlds of --isolate, or one of them', async () => {
    const emulator = await running({ isolate: 'api-key' })
    for (const key of ['ann', 'ben']) await clientOf(emulator).get('/health', withKey(key))
    const all = await traced(emulator)
    expect(all.match(/^What happened in \S+/gm)).toEqual([
      'What happened in world-1',
      'What happened in world-2',
    ])
    for (const world of ['world-2', 'ben']) {
      const one = await traced(emulator, ` --world ${world}`)
      expect(all).toContain(one.replace('What happened', 'What happened in world-2'))
    }
  })

  it('begins with failed jobs and lost answers, which no retry undoes, in order of time', async () => {
    const emulator = await running({
      scenario: {
        name: 'lossy',
        faults: [
          { fault: 'drop', stage: 'after', match: { operation: 'createRlTrainingJob' }, calls: 1 },
        ],
      },
    })
    const { get } = clientOf(emulator)
    for (let call = 0; call < 10; call++) await get(`/lost${call}`)
    await submit(emulator).catch(() => {})
    const { id } = await emulator.jobs.start({ model: 'poet' })
    emulator.jobs.fail(id, 'too hot')
    const lines = (await traced(emulator)).split('\n')
    // Ten of twelve.
    expect([0, 1, 8, 9, 10, 11].map((at) => lines[at])).toEqual([
      'What failed:',
      expect.stringMatching(/GET \/v1\/lost0 404/),
      expect.stringMatching(/GET \/v1\/lost7 404/),
      expect.stringMatching(/POST .*connection dropped/),
      expect.stringMatching(/too hot/),
      '  … and 2 other failures: --all shows them',
    ])
    expect(await traced(emulator, ' --all')).toContain('/lost9 404')
    expect(await traced(emulator, ' --all')).not.toContain('other failures')
  })

  it('begins with what failed before a world was restored, and says what it cannot know', async () => {
    const before = createEmulator({ clock: 'manual', scenario: 'failing-job' })
    before.createSink().answer({ status: 500 })
    const { id } = await before.jobs.start({ model: 'poet' })
    await before.settle()
    const emulator = await running({ snapshot: await before.snapshot() })
    const failed = [
      'What failed:',
      expect.stringMatching(/^ {2}before {2}poet \w+ failed: CUDA out of memory: /),
      '  before  RUN_STATE to receiver: answered 500 after 1 attempt. The receiver failed (500): look at its log. (2 times)',
    ]
    const unknown = 'what happened before the world was restored.'
    const missing = /^Webhooks of options are not saved, so nothing is sent to "receiver" \(http/
    expect((await traced(emulator)).split('\n')).toEqual([
      ...failed,
      `Not in this trace: ${unknown}`,
      expect.stringMatching(missing),
      expect.stringMatching(/^Nothing happened since \(scenario "failing-job", /),
    ])
    expect((await traced(emulator, ` --job ${id}`)).split('\n')).toEqual([
      ...failed,
      expect.stringMatching(
        /^Resumed from a snapshot, .* the job is failed, 3 of 6 steps taken \(/,
      ),
    ])
    const { pending } = await createClient({ url: emulator.trainingUrl }).pending()
    expect(pending.map(({ which }) => which)).toEqual(
      emulator.webhooks.deliveries.map((each) => `${each.id.slice(0, 8)} (RUN_STATE to receiver)`),
    )
    expect(() => before.assertNothingPending()).toThrow('2 things are pending')
    expect((await traced(emulator, ' --checks')).split('\n')).toEqual([
      'The client checks judged no call: none came.',
      `Not judged: ${unknown}`,
    ])
    await clientOf(emulator).get(`/preview/training-jobs/${id}`)
    expect((await traced(emulator, ' --checks')).split('\n')[0]).toBe(
      'The client checks found no mistake in what they judged.',
    )
    expect((await traced(emulator, ` --job ${id}`)).split('\n').slice(3, 6)).toEqual([
      `Not in this trace: ${unknown}`,
      expect.stringMatching(missing),
      expect.stringMatching(/^What happened /),
    ])
    const page = await emulator.report()
    expect(page).toMatch(/before<.*poet \w+ failed: CUDA out of memory/s)
    expect(page).toContain(`<p>Not judged: ${unknown}</p>`)
    expect(page).toContain(`<p>Not in this trace: ${unknown}</p>`)
  })

  it('says that a call hangs, as pending, and when its client left', async () => {
    const emulator = await running({
      scenario: {
        name: 'silent',
        faults: [{ fault: 'hang', match: { operation: 'healthCheck' } }],
      },
    })
    let arrived = (): void => {}
    const came = new Promise<void>((resolve) => (arrived = resolve))
    emulator.journal.subscribe(({ kind }) => void (kind === 'request' && arrived()))
    const client = new AbortController()
    const { signal } = client
    const call = fetch(`${emulator.trainingUrl}/health`, {
      signal,
      headers: { authorization: `Bearer ${emulator.apiKey}` },
    }).catch(() => {})
    await came
    expect(await traced(emulator)).toMatch(/GET \/v1\/health hangs; /)
    const { requests } = createClient({ url: emulator.trainingUrl })
    expect((await requests.get(1)).text).toBe('GET /v1/health hangs')
    expect(() => emulator.assertNothingPending()).toThrow(
      'request 1 (GET /v1/health hangs)  hangs until its client leaves',
    )
    emulator.clock.advance('4s')
    client.abort()
    await call
    await expect
      .poll(() => emulator.trace())
      .toMatch(/\n {2}\+4\.00s {2}→ GET \/v1\/health hangs no more: the client left after 4\.00 s/)
    emulator.assertNothingPending()
  })

  it('says once what the checks found many times', async () => {
    const emulator = await running()
    emulator.createSink().answer({ status: 401 })
    for (let event = 0; event < 4; event++) await emulator.trigger('RUN_STATE', { state: 'failed' })
    await emulator.settle()
    expect(await traced(emulator, ' --checks')).toMatch(
      /^Mistake: delivery \S+ \(RUN_STATE to receiver\) was not acknowledged: answered 401 \(4 times\) \(deliveries\)$/,
    )
    const { findings } = JSON.parse(await traced(emulator, ' --checks --json'))
    expect(findings).toHaveLength(4)
    expect(() => emulator.assertClientChecks()).toThrow(
      /^The client checks failed:\n.* was not acknowledged: answered 401 \(4 times\) .*\nTo allow that/,
    )
    expect((await emulator.report()).match(/was not acknowledged/g)).toHaveLength(1)
  })

  it('prints the lineage and what the client checks find, as text or as JSON', async () => {
    const emulator = await running({ clock: 'instant' })
    expect(await traced(emulator, ' --lineage')).toMatch(/^No lineage: /)
    expect(await traced(emulator, ' --checks')).toBe('The client checks judged no call: none came.')
    await clientOf(emulator).get('/health')
    expect(await traced(emulator, ' --checks')).toBe('The client checks found no mistake.')
    const rollouts = await rolloutsOf(emulator)
    const batch = await sampleGroup(rollouts, 'Sing.')
    const [first, second] = [await rollouts.train(batch), await rollouts.train(batch)]
    const lines = (await traced(emulator, ' --lineage')).split('\n')
    expect(lines).toEqual([
      expect.stringMatching(`^Job ${second} of singer, ended, made step 2, .* \\(1 behind\\)$`),
      expect.stringMatching(
        `^Job ${first} of singer, ended, made step 1, .*: trained on 2 answers`,
      ),
    ])
    expect(await traced(emulator, ` --lineage --job ${second.slice(0, 8)}`)).toMatch(
      new RegExp(`^Job ${second}.*\n  group 0, trajectory 0: reward 0; as job ${first}, group 0`),
    )
    const made = await traced(emulator, ` --checkpoint ${rollouts.policy}:step1`)
    expect(made).toMatch(
      new RegExp(
        `^singer step 1: made by job ${first}\nJob ${first} .*\n  group 0, .*: ".{20,61}"`,
      ),
    )
    expect(await traced(emulator, ' --lineage --checkpoint singer:step0')).toBe(
      'singer step 0: the base model, before any training',
    )
    const named = await run(`trace --lineage --job singer:step1 --url ${emulator.trainingUrl}`)
    expect(named.stderr).toContain(
      'checkpoints have trace --lineage --checkpoint: there is no job "singer:step1"',
    )
    expect(JSON.parse(await traced(emulator, ' --lineage --json'))).toEqual(
      JSON.parse(JSON.stringify(emulator.lineage())),
    )
    expect(await traced(emulator, ' --checks')).toMatch(/\(duplicate_trajectories, requests \d+\)/)
    const { findings } = JSON.parse(await traced(emulator, ' --checks --json'))
    expect(findings).toContainEqual(expect.objectContaining({ check: 'duplicate_trajectories' }))
    expect((await refused('trace --checks --job x')).message).toContain('--job')
  })

  it('says since when the times count', async () => {
    const emulator = await running()
    await submit(emulator, 'painter')
    emulator.clock.advance('2s')
    const job = await submit(emulator)
    expect(await traced(emulator, ` --job ${job}`)).toMatch(
      /^What happened \(scenario "happy-path", seed \d+, clock manual, times since its submission at 2026-01-01T00:00:02\.000Z\):\n {2}\+0.00s /,
    )
    expect(await traced(emulator)).toMatch(
      /^What happened \(.*, times since 2026-01-01T00:00:00\.000Z\):/,
    )
  })

  it('says that the scenario was changed meanwhile', async () => {
    const emulator = await running()
    await submit(emulator)
    emulator.follow('failing-job')
    emulator.follow('happy-path')
    const changed =
      /^The scenario was changed: first "happy-path", then "failing-job", then "happy-path"\.\nWhat happened \(scenario "happy-path"/m
    expect(await traced(emulator)).toMatch(changed)
    for (let times = 0; times < 20; times++) {
      for (const name of ['failing-job', 'happy-path']) emulator.follow(name)
    }
    expect(await traced(emulator)).toMatch(
      /^The scenario was changed: first "happy-path", then others(?:, then "\S+"){10}\.$/m,
    )
    emulator.reset()
    expect(await traced(emulator)).not.toMatch(changed)
  })

  it('says so if there is no such job', async () => {
    const emulator = await running()
    const unknown = await run(`trace --emulator ${emulator.trainingUrl} --job none`)
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('no job "none"') })
  })
})

it('a trace in a terminal has times below each other, and continues below its text', async () => {
  const emulator = createEmulator({ clock: 'manual', seed: 5 })
  await submit(emulator)
  await clientOf(emulator).post('/preview/modles', {})
  emulator.clock.advance('2s')
  const paint = (style: unknown, text: string): string => {
    return `\u001b[${String(style).length}m${text}\u001b[0m`
  }
  const lines = traceLines(linesOfWorld(emulator), { paint, columns: () => 60 })
  expect(lines.map(stripVTControlCharacters).join('\n')).toMatchInlineSnapshot(`
    "What failed:
      +0.00s  POST /v1/preview/modles 404; Not Found; nearest
              operation: POST /v1/preview/models
    What happened (scenario "happy-path", seed 5, clock manual,
      times since 2026-01-01T00:00:00.000Z):
      +0.00s  POST /v1/preview/models 200; created model
              local-team/demo/poet
      +0.00s  POST /v1/preview/training-jobs 200; queued RL job
              cc6ed85f… on poet: 4 trajectories in 1 group
      +0.00s  POST /v1/preview/modles 404; Not Found; nearest
              operation: POST /v1/preview/models
      +1.00s  → poet cc6ed85f started, 4 sequences
      +2.00s  → poet cc6ed85f step 1 of 4, loss 0.916459, reward
                0.5
    Now +2.00s. Scheduled:
      +3.00s  → poet cc6ed85f step 2 of 4"
  `)
})

it('a trace in a terminal has failures in red, refusals in yellow, and no other line with such words', async () => {
  const emulator = createEmulator({
    clock: 'manual',
    scenario: {
      name: 'lossy',
      faults: [
        { fault: 'drop', match: { operation: 'healthCheck' }, calls: 1 },
        { fault: 'drop', stage: 'mid_body', match: { operation: 'listBaseModels' }, calls: 1 },
        { fault: 'status', status: 503, match: { operation: 'systemCheck' }, calls: 1 },
      ],
    },
  })
  const { get } = clientOf(emulator)
  for (const path of ['/health', '/preview/base-models', '/system-check', '/lost', '/health'])
    await get(path).catch(() => {})
  const { id } = await emulator.jobs.start({ model: 'failed: 503 hangs' })
  emulator.jobs.fail(id, 'too hot')
  const paint = (style: unknown, text: string): string => `<${String(style)}>${text}`
  const lines = traceLines(linesOfWorld(emulator, { withoutFailures: true }), { paint })
  expect(
    lines.slice(1).map((line) => /  <(?:gray>\S+ {2}<)?(red|yellow)>/.exec(line)?.[1]),
  ).toEqual(['red', 'red', 'red', 'yellow', undefined, 'red'])
})
