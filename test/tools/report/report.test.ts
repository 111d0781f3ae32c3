import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../../src/index.js'
import { question, rolloutsOf, trajectory } from '../../support/rollouts.js'
import { checkScenario } from '../../../src/service/scenario/check-scenario.js'
import { jobsWith } from '../../support/job-timelines.js'
import { openEmulator } from '../../emulator/open-emulator.js'
import { judgeRequest } from '../../support/judge-request.js'
import { aRunThat } from '../../support/platform-records.js'
import { opened, sealed } from '../../support/snapshots.js'
import { submit } from '../../support/trainer.js'

const KEY = 'sk-report-0123456789abcdef'

function emulatorWith(options: EmulatorOptions = {}): Emulator {
  return openEmulator({ serveAnyModel: true, ...options })
}

async function send(emulator: Emulator, path: string, body?: unknown, key = KEY): Promise<void> {
  const base = path.startsWith('/chat') ? emulator.inferenceUrl : emulator.trainingUrl
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await emulator.fetch(base + path, { headers, ...sent }).catch(() => undefined)
  await response?.text().catch(() => undefined)
}

/** All elements of a page, without its texts. */
function elementsOf(page: string): string[] {
  return page.match(/<[a-z/!][^>]*>/gi) ?? []
}

/** The cells of a table, row by row. The first row has the names of the columns. */
function tableOf(page: string, label: string): string[][] {
  const [table = ''] = page.slice(page.indexOf(`aria-label="${label}`)).split('</table>')
  const [, ...rows] = table.split('<tr>')
  return rows.map((row) =>
    [...row.matchAll(/<(t[hd])[^>]*>(.*?)<\/\1>/g)].map(([, , cell]) => cell!),
  )
}

/** The saved answers of all jobs. */
function answersIn({ records, hidden }: ReturnType<typeof opened>): Record<string, unknown>[] {
  const trained = [...records, ...hidden].filter(({ kind }) => kind === 'trained')
  return trained.flatMap((record) => record.trained.groups[0].trajectories[0].answers)
}

const refused = { model_id: 'nope', trajectory_groups: [{ trajectories: [{ reward: 'high' }] }] }

describe('emulator.report', () => {
  it('shows what failed, and how to run it again', async () => {
    const emulator = emulatorWith({ scenario: 'failing-job', seed: 7 })
    await emulator.jobs.start({ model: 'poet' })
    await send(emulator, '/preview/training-jobs', refused)
    await emulator.settle()
    const page = await emulator.report({ failure: 'expected 3 steps' })
    expect(page).toContain('<title>Scenario failing-job, seed 7</title>')
    expect(page).toContain('expected 3 steps')
    expect(page).toContain('POST /v1/preview/training-jobs: body.model_id: Input should be a valid')
    expect(page).toContain('<code>&quot;high&quot;</code>')
    expect(page).toContain('authorization: Bearer [not shown]')
    expect(page).toContain('npx svtrain-emulator --scenario failing-job --seed 7 --clock manual')
    expect(page).not.toContain('--contract')
    // The lines of the trace are on the page, too.
    const lines = emulator.trace().split('\n').slice(1)
    const texts = page.replaceAll(/<[^>]*>/g, '')
    const [last] = lines.slice(-1).map((line) => line.replace(/^ *\+\S+ +(?:→ )?/, ''))
    expect(texts).toContain(last)
  })

  it('warns of an open run, unless what failed did not come to its end', async () => {
    const emulator = emulatorWith()
    aRunThat(emulator, { name: 'poem' })
    expect(await emulator.report()).toContain('never finished')
    expect(await emulator.report({ failure: 'expected no findings', ended: true })).toContain(
      'never finished',
    )
    expect(await emulator.report({ ended: false })).not.toContain('never finished')
    const page = await emulator.report({ failure: 'AssertionError: 1 != 2' })
    expect(page).not.toContain('never finished')
  })

  it('says that there was nothing to judge, and what the scenario did where nothing failed', async () => {
    const scenario: EmulatorOptions['scenario'] = {
      name: 'wrong',
      chat: { judge: { mistake: 'not_json' } },
    }
    const emulator = emulatorWith({ scenario })
    await send(emulator, '/chat/completions', judgeRequest(['yes', 'no']))
    const page = await emulator.report()
    expect(page).toContain('There was no job and no run to judge.</p>')
    expect(page).toContain(
      'but this came from the scenario: 1 wrong answer of the judge (not_json).</p>',
    )
    await emulator.jobs.start({ model: 'poet' })
    expect(await emulator.report()).toContain(
      '<p>The client checks found no mistake in what they could judge.</p>',
    )
  })

  it('has arrows before what something else caused, as the trace does', async () => {
    const emulator = emulatorWith()
    await submit(emulator)
    await emulator.settle()
    const [caused = ''] = /→ .*/.exec(emulator.trace()) ?? []
    expect(caused).toMatch(/^→ poet \w+ started/)
    expect((await emulator.report()).replaceAll(/<[^>]*>/g, '')).toContain(caused)
  })

  it('has each value that is no number at its own step', async () => {
    const spoil = (['NaN', 'Infinity'] as const).map((kind, at) => {
      return { at: 1 + 2 * at, metric: 'loss', with: kind }
    })
    const jobs = jobsWith({ count: 3, metrics: { loss: 2 }, spoil })
    const emulator = emulatorWith({ scenario: { name: 'spoilt', jobs } })
    await emulator.jobs.start({ model: 'poet' })
    await emulator.settle()
    const [columns, ...rows] = tableOf(await emulator.report(), 'Values of poet, job 1')
    const loss = columns!.indexOf('loss')
    expect(rows.map((row) => [row[0], row[loss]])).toEqual([
      ['1', 'NaN'],
      ['2', '2'],
      ['3', 'Infinity'],
    ])
  })

  it('says what each curve shows, also of a metric that is named like what all objects have', async () => {
    const jobs = jobsWith({
      count: 1000,
      metrics: { loss: { curve: 'linear', from: 2, to: 1 } },
      spoil: [{ at: [500, 501], metric: 'constructor', with: 'NaN' }],
    })
    const emulator = emulatorWith({ scenario: { name: 'spoilt', jobs } })
    await emulator.jobs.start({ model: 'poet' })
    await emulator.settle()
    const page = await emulator.report()
    expect([...page.matchAll(/ role="img" aria-label="(.*?)"/g)].map(([, label]) => label)).toEqual(
      [
        'constructor of poet, job 1: steps 1 to 1000, no numbers, NaN at step 500 to 501',
        'loss of poet, job 1: steps 1 to 1000, from 1 to 2',
      ],
    )
  })

  it('says where the scenario of a command is, for who does not have the file', async () => {
    const emulator = emulatorWith({ scenario: checkScenario({ name: 'own' }) })
    const page = await emulator.report({ reproduce: 'npx svtrain-emulator --scenario ./src.yaml' })
    expect(page).toContain('If you do not have <code>./src.yaml</code>, save the scenario above')
    const quoted = await emulator.report({ reproduce: "x exec --scenario 'my own.yaml' -- one" })
    expect(quoted).toContain('If you do not have <code>my own.yaml</code>, save')
    const ofProgram = 'x exec --import a.json -- python loop.py --scenario other.yaml'
    expect(await emulator.report({ reproduce: ofProgram })).not.toContain('If you do not have')
  })

  it('has bodies that end with a whole character, and says how much of them it shows', async () => {
    const emulator = emulatorWith()
    const long = (length: number): string => `${'x'.repeat(length)}😀${'y'.repeat(70_000)}`
    await send(emulator, '/preview/models', { name: long(9_990) })
    await send(emulator, '/preview/models', { name: long(0).slice(0, 20_000) })
    const page = await emulator.report()
    expect(page).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|\\ud83d/i)
    const notes = [...page.matchAll(/The first ([\d,]+) of ([\d,]+) characters\./g)]
    expect(notes.length).toBeGreaterThan(1)
    for (const [, first, all] of notes) {
      expect(Number(first!.replaceAll(',', ''))).toBeLessThan(Number(all!.replaceAll(',', '')))
    }
    const redacted = await emulator.report({ contents: 'redacted' })
    expect(redacted).toContain('The first 65,536 of ')
  })

  it('says which contract it is, and chooses it to run it again', async () => {
    const page = await emulatorWith({ contract: '2026-01' }).report()
    expect(page).toMatch(/<dt>Contract<\/dt>\s*<dd>2026-01<\/dd>/)
    expect(page).toContain('--clock manual --contract 2026-01')
    expect(page).toContain('clock: &#39;manual&#39;, contract: &#39;2026-01&#39; }')
  })

  it('says the time of the clock of its world, if it is about one', async () => {
    const emulator = emulatorWith({ isolate: 'api-key' })
    await send(emulator, '/preview/base-models', undefined, 'first-key-0123456789')
    emulator.world('first-key-0123456789').clock.advance('1h')
    expect(await emulator.report()).toMatch(
      /<dt>Clock<\/dt>\s*<dd>manual, now \S+T01:00:00\S* \(\+3600\.00s\)/,
    )
    await send(emulator, '/preview/base-models', undefined, 'second-key-0123456789')
    expect(await emulator.report()).toMatch(/<dt>Clock<\/dt>\s*<dd>manual<\/dd>/)
  })

  it('shows each world of an isolated emulator', async () => {
    const emulator = emulatorWith({ isolate: 'api-key' })
    await send(emulator, '/preview/nothing', undefined, 'key-of-alice')
    await send(emulator, '/preview/elsewhere', undefined, 'key-of-bob')
    const page = await emulator.report()
    expect(page).toMatch(/<h3>world-1<\/h3>[\s\S]*nothing[\s\S]*<h3>world-2<\/h3>[\s\S]*elsewhere/)
    expect(page).toContain('href="#world-2-request-1"')
    expect(page).not.toMatch(/key-of-alice|key-of-bob/)
    const alone = await emulator.world('key-of-bob').report()
    expect(alone).not.toMatch(/world-1|preview\/nothing/)
  })

  it('leaves out prompts and answers on request', async () => {
    const emulator = emulatorWith({
      scenario: {
        name: 'private',
        chat: { rules: [{ answer: 'the answer is Zanzibar' }] },
      },
    })
    const messages = [{ role: 'user', content: 'my name is Alice', name: 'Alice' }]
    const model = 'OpenPipe/Qwen3-14B-Instruct'
    await send(emulator, '/chat/completions', { model, messages })
    await send(emulator, '/chat/completions', { model, messages, stream: true })
    await send(emulator, '/chat/completions', { model, messages: 'Alice alone' })
    await send(emulator, '/preview/training-jobs', {
      model_id: 'no',
      trajectory_groups: [{ trajectories: [{ messages_and_choices: messages, reward: 'Alice' }] }],
    })
    const shown = await emulator.report()
    expect(shown).toMatch(/Alice[\s\S]*Zanzibar/)
    const page = await emulator.report({ contents: 'redacted' })
    expect(page).not.toMatch(/Alice|Zanzibar/)
    expect(page).toContain('[16 characters]')
    expect(page).toContain('OpenPipe/Qwen3-14B-Instruct')
    const har = JSON.stringify(await emulator.har({ contents: 'redacted' }))
    expect(har).not.toMatch(/Alice|Zanzibar/)
  })

  it('never makes markup of what anybody sends', async () => {
    const texts = [
      '</script><script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      '"><svg onload=alert(1)>',
      '</pre></details></main>',
      '&lt;b&gt;',
    ]
    const pageWith = async (text: string): Promise<string> => {
      const emulator = createEmulator({
        clock: 'manual',
        scenario: { name: text, description: text },
      })
      const { url } = emulator.createSink()
      expect(url).toMatch(/^http/)
      emulator.faults.add({
        fault: 'status',
        name: text,
        status: 503,
        match: { operation: 'listServedModels' },
      })
      await emulator.fetch(`${emulator.inferenceUrl}/models`, {
        headers: { 'x-odd': encodeURIComponent(text) },
      })
      await send(emulator, `/preview/${encodeURIComponent(text)}?q=${text}`)
      await send(emulator, '/preview/training-jobs', { model_id: text, [text]: text })
      await send(emulator, '/chat/completions', {
        model: text,
        messages: [{ role: 'user', content: text }],
      })
      await emulator.jobs.start({ model: 'poet' })
      emulator.jobs.fail(undefined, text)
      await emulator.settle()
      const page = await emulator.report({ title: text, failure: text, reproduce: text })
      await emulator.close()
      return page
    }
    const expected = elementsOf(await pageWith('plain')).length
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.constantFrom(...texts),
          fc.string({ minLength: 1 }).map((text) => `<b>${text}`),
        ),
        async (text) => {
          const found = elementsOf(await pageWith(text))
          expect(found.filter((element) => /<(?:script|img|b[^ro]|svg on)/.test(element))).toEqual([
            '<script type="application/json" id="svtrain-har">',
          ])
          expect(Math.abs(found.length - expected)).toBeLessThan(40)
        },
      ),
      { numRuns: 15 },
    )
  })

  it('shows no key in what it is told about a failure', async () => {
    const emulator = emulatorWith({ apiKeys: [KEY] })
    const told = { title: KEY, failure: `because of ${KEY}`, reproduce: `exec --api-key ${KEY}` }
    expect(await emulator.report(told)).not.toContain(KEY)
  })

  it('cuts a long run, and says so', async () => {
    const emulator = emulatorWith()
    const content = 'word '.repeat(200)
    const chat = { model: 'OpenPipe/Qwen3-14B-Instruct', messages: [{ role: 'user', content }] }
    for (let count = 0; count < 800; count++) {
      await send(emulator, '/preview/nothing', undefined)
      if (count % 8 === 0) await send(emulator, '/chat/completions', chat)
    }
    const page = await emulator.report()
    expect(page).toContain('The latest 500 of 900 requests.')
    expect(page.length).toBeLessThan(5_000_000)
    expect((await emulator.har()).log.entries).toHaveLength(900)
  })

  it('refuses options that it does not know', async () => {
    const emulator = emulatorWith()
    await expect(emulator.report({ contents: 'hidden' as never })).rejects.toThrow(
      'report: option "contents"',
    )
    await expect(emulator.har({ content: 'shown' } as never)).rejects.toThrow('contents')
  })
})

describe('the part about training data', () => {
  it('shows for each job where its answers came from, and how old they were', async () => {
    const emulator = emulatorWith()
    const loop = await rolloutsOf(emulator)
    const ask = async (model = loop.policy): Promise<object> => {
      const messages = question('Sing.')
      const answer = await loop.ask(messages, { model })
      return trajectory([...messages, answer], 1)
    }
    const message = { role: 'assistant', content: 'From elsewhere.' }
    const foreign = { index: 0, finish_reason: 'stop', logprobs: null, message }
    const [first, second] = [await ask(), await ask()]
    // No job uses this one.
    await ask()
    await loop.train([first, trajectory([...question('Sing.'), foreign], 0)])
    await loop.train([second, await ask(), await ask(loop.base)])
    const page = await emulator.report()
    expect(tableOf(page, 'Training data')).toEqual([
      ['Model', 'Job', 'Answers', 'From', 'Steps behind', 'Changed', 'Unknown', 'Trained before'],
      ['singer', '1', '2', 'step 0', '0', '0', '1', '0'],
      [
        'singer',
        '2',
        '3',
        `${loop.base} (1), step 0 (1), step 1 (1)`,
        '0 (1), 1 (1)',
        '0',
        '0',
        '0',
      ],
    ])
    expect(page.replaceAll(/<[^>]*>/g, '')).toContain('Jobs used 4 of 5 answers that chats gave.')
    expect(tableOf(page, 'Answers that no job used')).toHaveLength(2)
    expect(
      tableOf(page, 'Client checks').map(([severity = '', check]) => [
        severity.replaceAll(/<[^>]*>/g, ''),
        check,
      ]),
    ).toEqual([
      ['Severity', 'Check'],
      ['warning', 'baseModelAnswers'],
      ['warning', 'unknownAnswers'],
      ['warning', 'equalRewards'],
      ['warning', 'missingLogprobs'],
    ])
  })

  it('quotes no answers without contents', async () => {
    const emulator = emulatorWith()
    const loop = await rolloutsOf(emulator)
    const messages = question('Sing.')
    const answer = await loop.ask(messages)
    const message = { ...answer.message, content: 'PRIVATE WORDS' }
    await loop.train([trajectory([...messages, { ...answer, message }], 1)])
    expect(await emulator.report()).toContain('PRIVATE WORDS')
    const page = await emulator.report({ contents: 'redacted' })
    expect(page).toContain('changedAnswers')
    expect(page).not.toContain('PRIVATE WORDS')
    const har = JSON.stringify(await emulator.har({ contents: 'redacted' }))
    expect(har).toContain('its text is not the one that was sampled')
    expect(har).not.toContain('PRIVATE WORDS')
    const failure = emulator.trace()
    expect(failure).toContain('PRIVATE WORDS')
    for (const quoting of [failure, JSON.stringify(failure)]) {
      const because = await emulator.report({ contents: 'redacted', failure: quoting })
      expect(because).toContain('its text is not the one that was sampled')
      expect(because).not.toContain('PRIVATE WORDS')
    }
  })

  it('quotes no answers without contents after a restart, also of a world that saved its words', async () => {
    const emulator = emulatorWith()
    const loop = await rolloutsOf(emulator)
    const messages = question('Sing.')
    const answer = await loop.ask(messages)
    const message = { ...answer.message, content: 'PRIVATE WORDS' }
    await loop.train([trajectory([...messages, { ...answer, message }], 1)])
    const saved = opened(await emulator.snapshot())
    const [change] = answersIn(saved)
    expect(change).toMatchObject({ changed: { is: expect.stringContaining('PRIVATE WORDS') } })
    const older = structuredClone(saved)
    for (const each of answersIn(older))
      each['changed'] = '"OLD WORDS" was sampled, and "PRIVATE WORDS" was submitted'
    for (const world of [saved, older]) {
      const restored = emulatorWith({ snapshot: sealed(world) })
      await restored.ready()
      expect(JSON.stringify(restored.lineage())).toContain('PRIVATE WORDS')
      expect(opened(await restored.snapshot()).records).toEqual(world.records)
      const page = await restored.report({ contents: 'redacted' })
      expect(page).toContain('Training data')
      expect(page).not.toMatch(/(?:OLD|PRIVATE) WORDS/)
      expect(JSON.stringify(await restored.har({ contents: 'redacted' }))).not.toMatch(
        /OLD|PRIVATE/,
      )
    }
  })

  it('is not there without training data', async () => {
    expect(await emulatorWith().report()).not.toContain('id="training"')
  })
})
