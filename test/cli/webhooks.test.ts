import { describe, expect, it } from 'vitest'
import { SECRET, startReceiver } from '../support/receiver.js'
import { createHmac } from 'node:crypto'
import { Command, runJob } from './command.js'
import { refused, run } from './commands.js'
import { listening } from './listening.js'

describe('trigger', () => {
  it('sends an event straight to a receiver and prints the answer', async () => {
    const receiver = await startReceiver((response) => response.writeHead(202).end('thanks'))
    const line = `trigger add_artifact_alias --alias production --collection poet --url ${receiver.url}`
    const { code, stdout } = await run(line)
    expect(code).toBe(0)
    const [signed, ...rest] = stdout.split('\n')
    expect(rest).toEqual([`ADD_ARTIFACT_ALIAS to ${receiver.url}: 202`, 'thanks'])
    const [{ body, headers }] = receiver.received as [(typeof receiver.received)[number]]
    const secret = signed!.replace('Signed with ', '')
    expect(headers['x-service-signature']).toBe(
      createHmac('sha256', secret).update(body).digest('hex'),
    )
    expect(receiver.bodies()[0]).toMatchObject({
      event_type: 'ADD_ARTIFACT_ALIAS',
      alias: 'production',
      artifact_version_string: 'local-team/my-project/poet:production',
    })
  })

  it('sends an event of the version of an artifact that is given', async () => {
    const receiver = await startReceiver()
    await run(`trigger create_artifact --artifact-version 7 --url ${receiver.url}`)
    expect(receiver.bodies()[0]).toMatchObject({
      artifact_version_string: expect.stringMatching(/:v7$/) as string,
    })
  })

  it('exits with 1 if the receiver refuses, and never prints a given secret', async () => {
    const receiver = await startReceiver((response) => response.writeHead(401).end('who are you'))
    const secret = SECRET.replaceAll(' ', '-')
    const ran = await run(
      `trigger RUN_STATE --state failed --secret ${secret} --url ${receiver.url}`,
    )
    expect(ran).toEqual({
      code: 1,
      stdout: '',
      stderr: `RUN_STATE to ${receiver.url}: answered 401\nwho are you`,
    })
    expect(receiver.bodies()[0]).toMatchObject({ run_state: 'failed' })
  })

  it.each([
    ['trigger', 'trigger takes an event; none was given.'],
    ['trigger RUN_STATE', 'trigger takes the URL of a receiver (--url http://…) or of an emulator'],
    [
      'trigger RUN_STATE --to x --url http://x',
      '--to and --url exclude each other; leave one of them out.',
    ],
    [
      'trigger RUN_STATE --state failed --artifact-version 7 --url http://x',
      'RUN_STATE has no --artifact-version; leave it out. It takes: --entity, --project, --author, --run, --state.',
    ],
    ['trigger LINK_ARTIFACT --alias x --emulator http://x', 'LINK_ARTIFACT has no --alias;'],
    [
      'trigger CREATE_ARTIFACT --artifact-version latest --url http://x',
      '--artifact-version takes a whole number, at least 0, not "latest".',
    ],
    [
      'trigger RUN_STATE --emulator http://x --secret s',
      '--emulator and --secret exclude each other; leave one of them out.',
    ],
    ['trigger RUN_STAT --url http://x', 'Did you mean "RUN_STATE"?'],
    ['trigger RUN_STATE --url ftp://x', '--url takes a URL that begins with http:// or https://'],
  ])('%s is refused', async (line, message) => {
    expect((await refused(line)).message).toContain(message)
  })
})

it('trigger prints no credentials of the URL', async () => {
  const receiver = await startReceiver((response) => response.writeHead(204).end())
  const url = receiver.url.replace('://', '://me:s3same@')
  const { stdout } = await run(`trigger RUN_STATE --state failed --url ${url}`)
  expect(stdout).toContain(`RUN_STATE to ${receiver.url}: 204`)
  expect(stdout).not.toContain('s3same')
})

describe('trigger --emulator', () => {
  it('triggers an event in a running emulator', async () => {
    const receiver = await startReceiver()
    const emulator = await listening({ webhooks: [receiver.url] })
    const { origin } = new URL(emulator.trainingUrl)
    const line = `trigger add_artifact_alias --alias production --emulator ${origin}`
    const { code, stdout } = await run(line)
    const [delivery] = emulator.webhooks.deliveries
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `ADD_ARTIFACT_ALIAS to receiver: delivery ${delivery!.id} of "receiver: alias added"`,
    })
    await emulator.webhooks.idle()
    expect(receiver.bodies()).toMatchObject([{ alias: 'production' }])
    await run(`${line} --to receiver`)
    await emulator.webhooks.idle()
    expect(emulator.webhooks.deliveries.at(-1)!.automation).toBe('trigger receiver')
  })

  it('exits with 1 if nothing matches, the call is refused or no emulator answers', async () => {
    const emulator = await listening()
    const { origin } = new URL(emulator.trainingUrl)
    const line = `trigger RUN_STATE --emulator ${origin}`
    expect(await run(line)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'RUN_STATE: no automation matches it; nothing was sent.',
    })
    expect((await run(`${line} --to x`)).stderr).toContain('no webhook named "x"')
    await emulator.close()
    const nobody = await run(line)
    expect(nobody.code).toBe(1)
    expect(nobody.stderr).toContain('Is it running')
  })
})

describe('--webhook', () => {
  it('sends the end of a failing job to a receiver, signed, and logs it', async () => {
    const receiver = await startReceiver()
    const args = ['--scenario', 'failing-job', '--port', '0', '--inference-port', '0']
    const command = new Command([...args, '--speed', '100', '--webhook', receiver.url])
    const [, url] = await command.says(/SVTRAIN_BASE_URL=(\S+)/)
    const [, secret] = await command.says(/signed with (\w+)/)
    await runJob(url!)
    await command.says(/RUN_STATE failed to receiver: 200/)
    expect(receiver.bodies()).toMatchObject([{ run_state: 'running' }, { run_state: 'failed' }])
    const { body, headers } = receiver.received.at(-1)!
    expect(headers['x-service-signature']).toBe(
      createHmac('sha256', secret!).update(body).digest('hex'),
    )
  })
})
