import { expect, it } from 'vitest'
import { commandFailure, commandSuite, type CommandRun } from '../../../src/cli/failure/command.js'
import { causeText, failureLines, plain } from '../../../src/cli/failure/lines.js'
import { createEmulator, type ClockMode } from '../../../src/index.js'
import { junitXml } from '../../../src/cli/failure/junit.js'

const run = { command: ['npm', 'test'], code: 1, took: 5000, again: ['npm', 'test'] }

/** What a failure says if the command ended while a job was queued, and nothing was refused. */
async function saidUnder(clock: ClockMode): Promise<string> {
  await using emulator = createEmulator({ clock })
  await emulator.jobs.start({ model: 'poet' })
  return JSON.stringify(commandFailure(emulator, run))
}

it('names the clock if a command ends before its job', async () => {
  const said = await saidUnder('real')
  expect(said).toContain('Nothing, but 1 job was not over. Under the clock real, a job takes')
  expect(said).toContain('Probable cause: 1 job was not over.')
  expect(await saidUnder('manual')).not.toContain('not over')
})

it('hints at interception if a command called nothing here', async () => {
  const hint =
    'Nothing: no call arrived here. If the command names no address of the emulator, add --intercept.'
  await using emulator = createEmulator()
  const lines = (called?: CommandRun['called']) =>
    failureLines(commandFailure(emulator, { ...run, called }), plain).join('\n')
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
  const said = failureLines(commandFailure(emulator, { ...run, called }), plain).join('\n')
  expect(said).toContain('  403  api.training.wandb.ai was refused: to answer it: so (2 times)\n')
  expect(said).not.toContain('elsewhere.test')
  expect(causeText(commandFailure(emulator, { ...run, called }))).toMatch(
    /^Probable cause: 403 api\.training/,
  )
  const [, elsewhere] = called
  const alone = commandFailure(emulator, { ...run, called: [elsewhere!] })
  expect(failureLines(alone, plain).join('\n')).toContain(
    'Nothing, but calls to elsewhere.test were refused. The list of hosts says what to do.',
  )
  expect(causeText(alone)).not.toContain('elsewhere.test')
})

it('says what the scenario changed on purpose if nothing failed', async () => {
  await using emulator = createEmulator({ scenario: 'bad-judge', serveAnyModel: true })
  await emulator.fetch(`${emulator.inferenceUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer any-key', 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'a-judge',
      messages: [{ role: 'user', content: 'Rate this answer from 0 to 10. Answer with a number.' }],
    }),
  })
  expect(failureLines(commandFailure(emulator, run), plain).join('\n')).toContain(
    'Nothing, but this came from the scenario: 1 wrong answer of the judge.',
  )
})

it.each([
  ['ends-without-checkpoint', '1 job ended without a checkpoint.'],
  ['nan-metrics', /1 job had bad values of [a-z_/, ]+\.$/m],
])('says what jobs of %s lack, although none failed', async (scenario, said) => {
  await using emulator = createEmulator({ scenario, clock: 'instant' })
  await emulator.jobs.start({ model: 'poet' })
  const text = failureLines(commandFailure(emulator, run), plain).join('\n')
  expect(text).toContain('Nothing, but this came from the scenario: ')
  expect(text).toMatch(said)
})

it('says which models no rule answered for, unless a training uses them or they judged', async () => {
  await using emulator = createEmulator({ clock: 'instant', serveAnyModel: true })
  await emulator.jobs.start({ model: 'poet' })
  const ask = (model: string, content = 'Hello') =>
    emulator.fetch(`${emulator.inferenceUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer any-key', 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
    })
  const said = () => failureLines(commandFailure(emulator, run), plain).join('\n')
  await ask('wandb-artifact:///local-team/demo/poet')
  await ask('example/base-8b-instruct')
  expect(said()).toContain('Nothing: the output of the command says more.')
  await ask('gpt-4.1-mini', 'Score 1')
  await ask('gpt-4.1-mini', 'Score 2')
  const text =
    '2 chats of gpt-4.1-mini got invented text; rules give its answers: svtrain-emulator docs chat'
  expect(said()).toContain(`Nothing, but ${text}`)
  emulator.faults.add({ fault: 'status', status: 503 })
  await ask('gpt-4.1-mini')
  expect(said()).toContain(text)
  emulator.reset({
    name: 'judge',
    chat: { rules: [{ match: { model: 'gpt-*' }, answer: '0.7' }] },
  })
  await ask('gpt-4.1-mini')
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
  expect(failureLines(commandFailure(emulator, run), plain).join('\n')).toMatch(lost)
  expect(junitXml(commandSuite(emulator, run, { checks: [] }))).toMatch(lost)
  expect(causeText(commandFailure(emulator, run))).toMatch(
    /^Probable cause: delivery RUN_STATE to receiver: .*\nThe command exited with code 1\. It ran for 5\.0s\.$/,
  )
  const [, failed] = (await emulator.report()).split('<h2 id="failed">')
  expect(failed!.split('<h2 id="checks">')[0]).toMatch(lost)
})

it('says once on a page that a command was stopped, and what was pending then', async () => {
  await using emulator = createEmulator()
  const late = [{ what: 'job', which: '1 of poet', why: 'is queued' }]
  expect(causeText(commandFailure(emulator, { ...run, code: 124, late }))).toBe(
    'Pending then: job 1 of poet, is queued.\nThe command did not end in time and was stopped. It ran for 5.0s.',
  )
})
