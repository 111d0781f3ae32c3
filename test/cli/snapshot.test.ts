import { readdirSync, readFileSync, statSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Emulator, EmulatorOptions } from '../../src/index.js'
import { opened, sealed } from '../support/snapshots.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { submit } from '../support/trainer.js'
import { assertBuilt, Command } from './command.js'
import { refused, run } from './commands.js'
import { serveInProcess } from './in-process.js'
import { listening } from './listening.js'

const guarded = {
  name: 'guarded',
  description: 'A receiver that wants a signature.',
  auth: { keys: { 'any-key': { user: 'ann' } } },
  secrets: { SIGNING: 'the-signing-secret', TOKEN: 'the-access-token' },
  webhooks: [{ name: 'hook', url: 'http://ann:password@127.0.0.1:9/hook', secret: 'SIGNING' }],
  automations: [{ name: 'deploy', webhook: 'hook', event: 'LINK_ARTIFACT' as const }],
}
const CONFIDENTIAL = /any-key|the-signing-secret|the-access-token|password/

async function running(options: EmulatorOptions = {}, controlToken?: string) {
  const emulator = await listening({ clock: 'manual', ...options }, controlToken)
  return { emulator, url: new URL(emulator.trainingUrl).origin }
}

/** With a job that has taken a step, and one that failed. */
async function used(emulator: Emulator): Promise<void> {
  await submit(emulator, 'sim-fails')
  emulator.clock.advance('1h')
  await submit(emulator, 'poet')
  emulator.clock.advance('2s')
}

function newFile(): string {
  return join(temporaryFolder(), 'world.json')
}

/** Until the test is over. */
function withVariable(name: string, value: string): void {
  env[name] = value
  onTestFinished(() => void delete env[name])
}

describe('snapshot export and snapshot import', () => {
  it('copy the state of one running emulator to another', async () => {
    const [first, second] = [await running({ scenario: 'failing-job' }), await running()]
    const job = await submit(first.emulator)
    first.emulator.clock.advance('2s')
    const file = newFile()
    expect(await run(`snapshot export ${file} --url ${first.url}`)).toEqual({
      code: 0,
      stdout: `Exported to ${file}: 1 model, 1 running job, at 2026-01-01T00:00:02.000Z. It has the secrets and API keys of the emulator.`,
      stderr: '',
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await run(`snapshot import ${file} --url ${second.url}`)).toEqual({
      code: 0,
      stdout:
        'Imported: scenario failing-job, 1 model, 1 running job, at 2026-01-01T00:00:02.000Z.',
      stderr: '',
    })
    second.emulator.clock.advance('1h')
    expect(second.emulator.job(job).status).toBe('failed')
    expect(await run(`snapshot export - --url ${first.url}`)).toMatchObject({
      stdout: readFileSync(file, 'utf8').trimEnd(),
    })
  })

  it('leave secrets out, and name those without a value', async () => {
    const [first, second] = [await running({ scenario: guarded }), await running()]
    const file = newFile()
    await run(`snapshot export ${file} --without-secrets --url ${first.url}`)
    expect(readFileSync(file, 'utf8')).not.toMatch(CONFIDENTIAL)
    const { code, stderr } = await run(`snapshot import ${file} --url ${second.url}`)
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'Secrets without a value: SIGNING. Deliveries are sent without them. Set them with POST /_emulator/secrets or webhooks.setSecret().',
    })
  })

  it('name the webhooks of options that are missing since, wherever one notices', async () => {
    const url = 'http://127.0.0.1:9/hook'
    const first = await running({ webhooks: [{ url, secret: 'the-signing-secret' }] })
    const second = await running()
    await first.emulator.trigger('RUN_STATE', { state: 'failed' })
    await first.emulator.settle()
    const file = newFile()
    await run(`snapshot export ${file} --url ${first.url}`)
    const { code, stderr } = await run(`snapshot import ${file} --url ${second.url}`)
    const text = `Webhooks of options are not saved, so nothing is sent to "receiver" (${url}). Name it again, with its secret: --webhook, --sink, webhooks.add() or POST /_emulator/webhooks.`
    expect({ code, stderr }).toEqual({ code: 0, stderr: text })
    const { emulator } = second
    const serving = await serveInProcess(['--port=0', '--inference-port=0', `--import=${file}`], {
      cwd: temporaryFolder(),
    })
    await serving.stop()
    expect(serving.said.stdout).toContain(text)
    expect(emulator.trace()).toContain(text)
    expect(() => emulator.assertNothingPending()).toThrow(
      `no webhook "receiver" (${url}) is there: Name it`,
    )
    const [delivery] = emulator.webhooks.deliveries
    await expect(emulator.webhooks.resend(delivery!.id)).rejects.toThrow(
      `Failed to resend: there is no webhook "receiver" (${url}) any more. Name it again`,
    )
    emulator.webhooks.add({ url, secret: 'the-signing-secret' })
    expect(emulator.trace()).not.toContain('Webhooks of options')
    expect(() => emulator.assertNothingPending()).toThrow(
      /not acknowledged after 1 attempt: [^;]+$/,
    )
    expect(await emulator.webhooks.resend(delivery!.id)).toMatchObject({ number: 2 })
  })

  it('find the emulator by the environment, and a world by its key', async () => {
    const { emulator, url } = await running({ isolate: 'api-key' }, 'token')
    withVariable('SVTRAIN_CONTROL_URL', `${url}/_emulator`)
    withVariable('SVTRAIN_CONTROL_TOKEN', 'token')
    await submit(emulator, 'poet', 'one')
    const file = newFile()
    expect((await run(`snapshot export ${file} --world one`)).code).toBe(0)
    expect((await run(`snapshot import ${file} --world two`)).code).toBe(0)
    expect(emulator.world('two').jobs.all).toHaveLength(1)
    const ofAll = await run(`snapshot export ${file}`)
    expect(ofAll.code).toBe(1)
    expect(ofAll.stderr).toContain('a snapshot contains one world, and here each key has its own')
    withVariable('SVTRAIN_CONTROL_URL', 'localhost')
    expect((await refused(`snapshot export ${file}`)).message).toBe(
      'SVTRAIN_CONTROL_URL takes a URL that begins with http:// or https://, not "localhost".',
    )
    withVariable('SVTRAIN_CONTROL_URL', '')
    withVariable('SVTRAIN_BASE_URL', emulator.trainingUrl)
    expect((await run('trace --world one')).stdout).toContain('POST /v1/preview/training-jobs 200')
    await emulator.close()
    expect((await run('trace')).stderr).toMatch(
      /^Failed to reach an emulator at .* comes from SVTRAIN_BASE_URL. To use another: --emulator <URL>$/,
    )
  })

  it('fail without an emulator or a token, and leave the file unchanged', async () => {
    const { emulator, url } = await running({}, 'token')
    const file = newFile()
    writeFileSync(file, 'a good one')
    const without = await run(`snapshot export ${file} --url ${url}`)
    expect(without).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'Failed to GET /_emulator/snapshot?secrets=true: This call needs the control token, as Authorization: Bearer <token>. (status 401)\nThe emulator prints its control token at start. Pass it with --control-token or SVTRAIN_CONTROL_TOKEN.',
    })
    await emulator.close()
    const nobody = await run(`snapshot export ${file} --url ${url} --control-token token`)
    expect(nobody.code).toBe(1)
    expect(nobody.stderr).toContain('Is it running')
    expect(readFileSync(file, 'utf8')).toBe('a good one')
    expect(readdirSync(join(file, '..'))).toEqual(['world.json'])
  })

  it('leave the old file complete if they are killed', { timeout: 60_000 }, async () => {
    assertBuilt()
    const { emulator, url } = await running({
      scenario: { name: 'large', description: 'x'.repeat(8_000_000) },
    })
    const file = newFile()
    const old = JSON.stringify(await emulator.snapshot())
    writeFileSync(file, old)
    await emulator.models.create({ name: 'poet' })
    const fresh = `${JSON.stringify(await emulator.snapshot(), null, 1)}\n`
    const command = new Command(['snapshot', 'export', file, '--url', url])
    const watcher = watch(join(file, '..'), () => command.process.kill('SIGKILL'))
    onTestFinished(() => watcher.close())
    await command.ended()
    const left = readFileSync(file, 'utf8')
    expect(left === old || left === fresh).toBe(true)
  })

  it('write into a device or a pipe without replacing it', async () => {
    const { url } = await running()
    expect((await run(`snapshot export /dev/null --url ${url}`)).code).toBe(0)
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
  })
})

describe('a file that is not a valid snapshot', () => {
  function linesThatRead(file: string): string[] {
    return [`snapshot import ${file} --url http://127.0.0.1:9`, `snapshot show ${file}`]
  }

  it.each([
    ['torn', '{"format": "svtrain-emu', /it isn't JSON, or a part of it is missing/],
    ['another JSON', '{"name": "mine"}', /it is not a snapshot. Make one with snapshot export/],
  ])('is refused without a call to the emulator: %s', async (_, text, message) => {
    const file = newFile()
    writeFileSync(file, text)
    for (const line of linesThatRead(file)) await expect(run(line)).rejects.toThrow(message)
  })

  it('is refused with what leads on, if it is a data folder', async () => {
    const data = temporaryFolder()
    const { emulator } = await running({ data })
    await used(emulator)
    await emulator.close()
    const hint = `${data} is a data folder. Start with --data ${data}, and make a snapshot of it: svtrain-emulator snapshot export state.json`
    const offline = '--url http://127.0.0.1:9'
    for (const path of [data, join(data, 'world.ndjson')]) {
      await expect(run(`snapshot import ${path} ${offline}`)).rejects.toThrow(hint)
    }
  })

  it('is refused with the name of a wrong field, without a call to the emulator', async () => {
    const { emulator } = await running({ scenario: guarded })
    const content = opened(await emulator.snapshot())
    content.records[1].seed = 'one'
    content.hidden[0].scenario.secrets.SIGNING = ['the-signing-secret']
    const file = newFile()
    writeFileSync(file, JSON.stringify(sealed(content)))
    const lines = [
      `Failed to read ${file}: it cannot be used. Nothing was changed.`,
      '  records[1].seed: expected a number, got "one"',
      '  secrets[0].scenario.secrets.SIGNING: expected a text, got a list',
    ]
    for (const line of linesThatRead(file)) {
      await expect(run(line)).rejects.toThrow(lines.join('\n'))
    }
    const serving = serveInProcess(['--import', file], { cwd: tmpdir() })
    await expect(serving).rejects.toThrow(lines.join('\n'))
  })
})

describe('snapshot show', () => {
  it('prints the world of a data folder, also while it is in use, and changes nothing there', async () => {
    const data = temporaryFolder()
    const { emulator } = await running({ data })
    await used(emulator)
    await emulator.close()
    const closed = await run(`snapshot show ${data}`)
    expect(closed.stdout).toMatch(/^Version +\d+, secrets kept\n/)
    expect(closed.stdout).toMatch(/^ +1 failed$/m)
    await running({ data })
    const files = (): [string, string][] => {
      return readdirSync(data, { withFileTypes: true })
        .filter((each) => each.isFile())
        .map(({ name }) => [name, readFileSync(join(data, name), 'latin1')])
    }
    const before = files()
    expect(await run(`snapshot show ${join(data, 'world.ndjson')}`)).toEqual(closed)
    expect(files()).toEqual(before)
  })

  it('counts deliveries by their state, and says why they failed', async () => {
    const sent = { name: 'hook', url: 'http://127.0.0.1:9/hook', retries: [] }
    const { emulator, url } = await running({ webhooks: [sent] })
    for (let event = 0; event < 3; event++) await emulator.trigger('RUN_STATE', { to: 'hook' })
    await emulator.settle()
    const file = newFile()
    await run(`snapshot export ${file} --url ${url}`)
    const shown = (await run(`snapshot show ${file}`)).stdout
    expect(shown).toMatch(
      /^Deliveries +3 failed\n +3 to hook failed, the last attempt: .*ECONNREFUSED/m,
    )
    expect(shown).toMatch(/^Webhooks +1\n +hook of an option, which is not saved$/m)
    const { stdout } = await run(`snapshot show ${file} --json`)
    expect(JSON.parse(stdout)).toMatchObject({
      deliveries: { failed: 3 },
      failed_deliveries: [{ webhook: 'hook', count: 3 }],
    })
  })

  it('prints the contents of a file, and only the names of secrets', async () => {
    const { emulator, url } = await running({ scenario: { ...guarded, extends: 'happy-path' } })
    await used(emulator)
    emulator.webhooks.add({ secrets: { LATER: 'the-later-secret' } })
    const file = newFile()
    await run(`snapshot export ${file} --url ${url}`)
    const { stdout } = await run(`snapshot show ${file}`)
    expect(stdout).toMatchInlineSnapshot(`
      "Version      1, secrets kept
      Scenario     guarded: A receiver that wants a signature.
      Seed         1
      Clock        2026-01-01T01:00:02.000Z
      Models       2
                   local-team/demo/sim-fails on example/base-8b-instruct: 1 checkpoint, latest step 0
                   local-team/demo/poet on example/base-8b-instruct: 1 checkpoint, latest step 0
      Jobs         2
                   1 running
                     8ea2aea6-f0a8-4db3-aa5f-3fa98bb832e0 of poet, job 1, step 1
                   1 failed
                     bd477ff6-c76d-410b-b559-4e2ceb45050d of sim-fails, job 1, step 3: Simulated failure half-way
      Webhooks     1
                   hook to http://127.0.0.1:9/hook
      Automations  1
                   deploy: LINK_ARTIFACT to hook
      Deliveries   0
      Secrets      SIGNING, TOKEN, LATER
      API keys     1"
    `)
    const { stdout: printed } = await run(`snapshot show ${file} --json`)
    expect(JSON.parse(printed)).toMatchObject({
      has_secrets: true,
      jobs: [{ status: 'failed' }, { model: 'poet', status: 'running', step: 1 }],
      secrets: ['SIGNING', 'TOKEN', 'LATER'],
      secrets_without_value: [],
      api_keys: 1,
    })
    expect(stdout + printed).not.toMatch(/any-key|the-signing-secret|the-later-secret|password/)
    await run(`snapshot export ${file} --without-secrets --url ${url}`)
    const without = await run(`snapshot show ${file}`)
    expect(without.stdout).toContain('Secrets      SIGNING (no value)')
  })
})

it('--without-secrets leaves secrets out of the export at the end, and --import names the missing ones', async () => {
  const cwd = temporaryFolder()
  const file = join(cwd, 'world.json')
  writeFileSync(join(cwd, 'guarded.json'), JSON.stringify(guarded))
  const ports = ['--port=0', '--inference-port=0']
  const options = ['--scenario=guarded.json', '--export-on-exit=world.json', '--without-secrets']
  await (await serveInProcess([...ports, ...options], { cwd })).stop()
  expect(readFileSync(file, 'utf8')).not.toMatch(CONFIDENTIAL)
  const { said, stop } = await serveInProcess([...ports, '--import=world.json'], { cwd })
  await stop()
  expect(said.stdout).toContain('Secrets without a value: SIGNING. Deliveries are sent without')
  expect(said.stdout).toMatch(/\(any key works\)/)
})

describe('snapshot refuses', () => {
  it.each([
    ['snapshot', 'snapshot takes a command:\n  snapshot export     Write the state'],
    ['snapshot exprt', 'Did you mean snapshot export?'],
    ['snapshot export', 'snapshot export takes a file, or - for stdout; none was given.'],
    ['snapshot import', 'snapshot import takes a file, or - for stdin; none was given.'],
    ['snapshot export --to a', '"--to". The file comes without it: snapshot export <file>.'],
    ['snapshot show a b', 'Unexpected argument "b".'],
    ['snapshot export a --url x', '--url takes a URL that begins with http:// or https://'],
  ])('%s', async (line, message) => {
    expect((await refused(line)).message).toContain(message)
  })
})
