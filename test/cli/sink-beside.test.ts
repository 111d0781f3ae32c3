import { beforeAll, describe, expect, it } from 'vitest'
import { signed } from '../webhooks/sending/sender.js'
import { assertBuilt, Command, runJob, start } from './command.js'

beforeAll(assertBuilt)

describe('--sink', () => {
  it('receives the deliveries of the emulator, and prints each with its verdict', async () => {
    const command = start(['--sink', '--sink-port', '0', '--clock', 'instant'])
    const { training } = await command.ready()
    const [, url] = await command.says(/export SVTRAIN_SINK_URL=(.*)/)
    expect(command.stdout).toMatch(new RegExp(`Webhooks to +${url}, signed with \\S{24}\n`))
    await runJob(training)
    await command.says(/RUN_STATE finished to receiver: 200/)
    expect(command.lines).toContainEqual(
      expect.stringMatching(/^\S+ {3}⇠ {3}webhook sink: 1: POST \/, RUN_STATE, valid$/),
    )
    await fetch(url!, signed({ event_type: 'MINE' }))
    await command.says(
      /⇠ {3}webhook sink: \d+: POST \/, MINE, invalid\. The secrets that are given/,
    )
    command.process.kill('SIGINT')
    expect(await command.ended()).toBe(0)
  })

  it('gives its URL to the command that exec runs', async () => {
    const program = `
      const { SVTRAIN_SINK_URL, HOOK_URL } = process.env
      const answer = await fetch(HOOK_URL, { method: 'POST', body: '{}' })
      console.log((await answer.json()).verdict, HOOK_URL === SVTRAIN_SINK_URL + '/hook')
    `
    const options = ['--sink', '--env', 'HOOK_URL={sink}/hook']
    const command = new Command(['exec', ...options, '--', process.execPath, '--eval', program])
    expect(await command.ended()).toBe(0)
    expect(command.stdout).toBe('missing true\n')
  })
})
