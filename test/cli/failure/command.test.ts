import { expect, it, vi } from 'vitest'
import { commandFailure } from '../../../src/cli/failure/command.js'
import type { CommandRun } from '../../../src/cli/failure/command-run.js'
import { commandSuite } from '../../../src/cli/failure/command-suite.js'
import { pendingNow } from '../../../src/cli/failure/pending.js'
import { causeText, failureLines, plain } from '../../../src/cli/failure/lines.js'
import { problemsIn } from '../../../src/emulator/testing/problems.js'
import { createEmulator, type Emulator } from '../../../src/index.js'
import { startReceiver } from '../../support/receiver.js'
import { junitXml } from '../../../src/cli/failure/junit.js'

const run = { command: ['npm', 'test'], code: 1, took: 5000, again: ['npm', 'test'] }

/** What a terminal says of a command that failed. */
function textOf(emulator: Emulator, more: Partial<CommandRun> = {}): string {
  return failureLines(commandFailure(emulator, { ...run, ...more }), plain).join('\n')
}

function ask(emulator: Emulator, model: string, content = 'Hello', key = 'any-key') {
  return emulator.fetch(`${emulator.inferenceUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
  })
}

it('names the clock if a command ends before its job', async () => {
  for (const [clock, isNamed] of [
    ['real', true],
    ['manual', false],
  ] as const) {
    await using emulator = createEmulator({ clock })
    await emulator.jobs.start({ model: 'poet' })
    const text = 'Nothing, but 1 job was not over. Under the clock real, a job takes'
    expect(textOf(emulator).includes(text)).toBe(isNamed)
    const cause = causeText(commandFailure(emulator, run))
    expect(cause.includes('Probable cause: 1 job was not over.')).toBe(isNamed)
  }
})

it('hints at interception if a command called nothing here', async () => {
  const hint =
    'Nothing: no call arrived here. If the command names no address of the emulator, add --intercept.'
  await using emulator = createEmulator()
  const lines = (called?: CommandRun['called']) => textOf(emulator, { called })
  expect(lines()).toContain(hint)
  expect(lines([])).not.toContain(hint)
  await emulator.fetch(`${emulator.trainingUrl}/health`)
  expect(lines()).not.toContain(hint)
})

it('names a refused host of the service, and no other one', async () => {
  await using emulator = createEmulator()
  const outcome = {
    answered: 0,
    troubled: 0,
    refused: 2,
    passed: 0,
    failures: ['to answer it: so'],
  }
  const called = ['api.training.wandb.ai', 'elsewhere.test'].map((host) => ({ host, ...outcome }))
  const said = textOf(emulator, { called })
  expect(said).toContain('  403  api.training.wandb.ai was refused: to answer it: so (2 times)\n')
  expect(said).not.toContain('elsewhere.test')
  expect(causeText(commandFailure(emulator, { ...run, called }))).toMatch(
    /^Probable cause: 403 api\.training/,
  )
  expect(junitXml(commandSuite(emulator, { ...run, code: 0, called }, { checks: [] }))).toContain(
    '403  api.training.wandb.ai was refused',
  )
  const [, elsewhere] = called
  const alone = commandFailure(emulator, { ...run, called: [elsewhere!] })
  expect(failureLines(alone, plain).join('\n')).toContain(
    'Nothing, but calls to elsewhere.test were refused. The list of hosts says what to do.',
  )
  expect(causeText(alone)).not.toContain('elsewhere.test')
})

it('shows failures of several faults without names once, and those of named faults by name', async () => {
  await using emulator = createEmulator({ serveAnyModel: true })
  const call = (name?: string) => {
    return emulator.faults.add({ fault: 'status', status: 503, calls: 1, ...(name && { name }) })
  }
  for (const name of [undefined, undefined, 'fault 7', 'fault 8']) {
    const fault = call(name)
    await ask(emulator, 'a-judge')
    fault.remove()
  }
  const text = textOf(emulator)
  expect(text).toMatch(/^ *503 .*; faults: 503 \(2 times\)$/m)
  expect(text).toMatch(/^ *503 .*; fault 7: 503$/m)
  expect(text).toMatch(/^ *503 .*; fault 8: 503$/m)
})

it.each([
  ['mid_body', /^ *200 {2}POST .*: stopped half-way; /m],
  ['before', /^ *--- {2}POST .*: connection dropped; /m],
] as const)('shows the status of an answer that was lost %s', async (stage, shown) => {
  await using emulator = createEmulator({ serveAnyModel: true })
  emulator.faults.add({ fault: 'drop', stage })
  const answer = await ask(emulator, 'a-judge').catch(() => undefined)
  await answer?.text().catch(() => {})
  const text = textOf(emulator)
  expect(text).toMatch(shown)
})

it('says that a signal ended the command, and guesses no other reason', async () => {
  await using emulator = createEmulator({ clock: 'manual' })
  await emulator.jobs.start({ model: 'poet' })
  const killed = { ...run, code: 137, lacksChatKey: true }
  const text = failureLines(commandFailure(emulator, killed), plain).join('\n')
  expect(text).toContain('exited with code 137, as after SIGKILL.')
  expect(text).toContain('Nothing: the command was stopped. Below is what was pending then')
  expect(text).not.toContain('OPENAI_API_KEY')
})

it('says that a rule gave the scores if nothing else is wrong', async () => {
  await using emulator = createEmulator({ scenario: 'judge-scores-zero', serveAnyModel: true })
  await ask(emulator, 'a-judge', 'Rate this answer from 0 to 10. Answer with a number.')
  expect(textOf(emulator)).toContain(
    'Nothing, but rules of the scenario gave the scores of 1 call to the judge.',
  )
})

it.each([
  ['ends-without-checkpoint', '1 job ended without a checkpoint.'],
  ['nan-metrics', /1 job had bad values of [a-z_/, ]+\.$/m],
])('says what jobs of %s lack, although none failed', async (scenario, said) => {
  await using emulator = createEmulator({ scenario, clock: 'instant' })
  await emulator.jobs.start({ model: 'poet' })
  const text = textOf(emulator)
  expect(text).toContain('Nothing, but this came from the scenario: ')
  expect(text).toMatch(said)
})

it('leads to the page of judges if a command may miss a key for chats', async () => {
  await using emulator = createEmulator({ clock: 'instant' })
  await ask(emulator, 'example/base-8b-instruct')
  const said = (lacksChatKey: boolean) => textOf(emulator, { called: [], lacksChatKey })
  expect(said(true)).toMatch(/If it misses OPENAI_API_KEY: .* svtrain-emulator docs judge$/m)
  expect(said(false)).not.toContain('OPENAI_API_KEY')
})

it('says which models no rule answered for, unless a training uses them or they judged', async () => {
  await using emulator = createEmulator({ clock: 'instant', serveAnyModel: true })
  await emulator.jobs.start({ model: 'poet' })
  const said = () => textOf(emulator)
  await ask(emulator, 'wandb-artifact:///local-team/demo/poet')
  await ask(emulator, 'example/base-8b-instruct')
  expect(said()).toContain('Nothing: the output of the command says more.')
  await ask(emulator, 'gpt-4.1-mini', 'Score 1')
  await ask(emulator, 'gpt-4.1-mini', 'Score 2')
  const text =
    '2 chats of gpt-4.1-mini got invented text; rules give its answers: svtrain-emulator docs chat'
  expect(said()).toContain(`Nothing, but ${text}`)
  emulator.faults.add({ fault: 'status', status: 503 })
  await ask(emulator, 'gpt-4.1-mini')
  expect(said()).toContain(text)
  emulator.reset({
    name: 'judge',
    chat: { rules: [{ match: { model: 'gpt-*' }, answer: '0.7' }] },
  })
  await ask(emulator, 'gpt-4.1-mini')
  expect(said()).not.toContain('invented')
})

it('names a failed delivery in the terminal, in JUnit, as the cause and on the page', async () => {
  // Nothing listens on port 1.
  await using emulator = createEmulator({
    clock: 'instant',
    webhooks: ['http://127.0.0.1:1/hook'],
  })
  await emulator.jobs.start({ model: 'poet' })
  await emulator.settle()
  const lost = /RUN_STATE to receiver: [^\n<]*ECONNREFUSED[^\n<]* after 1 attempt/
  expect(textOf(emulator)).toMatch(lost)
  expect(junitXml(commandSuite(emulator, run, { checks: [] }))).toMatch(lost)
  expect(causeText(commandFailure(emulator, run))).toMatch(
    /^Probable cause: delivery RUN_STATE to receiver: .*\nThe command exited with code 1\. It ran for 5\.0s\.$/,
  )
  const [, failed] = (await emulator.report()).split('<h2 id="failed">')
  expect(failed!.split('<h2 id="checks">')[0]).toMatch(lost)
})

it('names what a receiver lost that answered before, unless the command had ended', async () => {
  let isUp = true
  const receiver = await startReceiver((response) => (isUp ? response.end() : response.destroy()))
  await using emulator = createEmulator({ clock: 'instant', webhooks: [receiver.url] })
  const lost = async (state: 'finished' | 'failed' | 'crashed') => {
    await emulator.trigger('RUN_STATE', { state })
    await emulator.webhooks.idle()
    return problemsIn(emulator).map(({ count, text }) => `${count} ${text.split(':')[0]}`)
  }
  expect(await lost('finished')).toEqual([])
  isUp = false
  const missed = ['1 RUN_STATE to receiver']
  expect(await lost('failed')).toEqual(missed)
  expect(emulator.trace()).toMatch(
    /^What failed:\n {2}\S+ {2}RUN_STATE to receiver: .* is not reachable .*: look whether it runs/,
  )
  emulator.webhooks.commandEnded()
  expect(await lost('crashed')).toEqual(missed)
})

it('has the cause of a failure: a refused call, a lost one, or a failed job', async () => {
  await using emulator = createEmulator({ clock: 'manual' })
  const call = (path: string) => {
    const headers = { authorization: `Bearer ${emulator.apiKey}` }
    return emulator.fetch(emulator.trainingUrl + path, { headers }).catch(() => undefined)
  }
  const cause = () => causeText(commandFailure(emulator, run)).split('\n')[0]
  await call('/preview/nothing')
  expect(cause()).toMatch(/^Probable cause: 404 GET \/v1\/preview\/nothing: /)
  emulator.faults.add({ fault: 'drop', match: { operation: 'listBaseModels' } })
  await call('/preview/base-models')
  expect(cause()).toMatch(/^Probable cause: GET \/v1\/preview\/base-models: connection dropped/)
  const { id } = await emulator.jobs.start({ model: 'poet' })
  emulator.jobs.fail(id, 'out of memory')
  expect(cause()).toMatch(/^Probable cause: job poet [\da-f]{8} failed: out of memory$/)
})

it('names the world of each request that hangs', async () => {
  await using emulator = createEmulator({ isolate: 'api-key' })
  for (const key of ['first-key', 'second-key']) {
    emulator.world(key).faults.add({ fault: 'hang' })
    void ask(emulator, 'any', 'Hello', key).catch(() => {})
  }
  const what = () => pendingNow(emulator).map((each) => each.what)
  await vi.waitFor(() => expect(what()).toEqual(['world-1 request', 'world-2 request']))
})

it('says once on a page that a command was stopped, and what was pending then', async () => {
  await using emulator = createEmulator()
  const late = [{ what: 'job', which: '1 of poet', why: 'is queued' }]
  expect(causeText(commandFailure(emulator, { ...run, code: 124, late }))).toBe(
    'Pending then: job 1 of poet, is queued.\nThe command did not end in time and was stopped. It ran for 5.0s.',
  )
})
