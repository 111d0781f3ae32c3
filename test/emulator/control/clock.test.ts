import { expect, it } from 'vitest'
import { describeTransports } from '../../support/transports.js'
import { controlledOver } from './control.js'

describeTransports('the clock calls of the control API', (open) => {
  it('read the clock without moving it, even in auto mode', async () => {
    const { call } = await controlledOver(open, { clock: 'auto' })
    await call('POST /jobs', { model: 'poet' })
    for (let time = 0; time < 3; time++) {
      expect((await call('GET /clock')).body).toEqual({
        mode: 'auto',
        speed: 1,
        now: '2026-01-01T00:00:00.000Z',
        pending: 1,
        next_at: '2026-01-01T00:00:01.000Z',
      })
    }
  })

  it('report a world that does not settle', async () => {
    const { call } = await controlledOver(open, { scenario: 'long-run' })
    await call('POST /jobs', {})
    const refused = await call('POST /clock/settle', { most: 10 })
    expect(refused.status).toBe(409)
    expect(refused.body.detail).toMatch(/10 scheduled tasks ran, and more are scheduled/)
  })

  it('change the mode and the speed', async () => {
    const { emulator, call } = await controlledOver(open)
    const { body } = await call('POST /clock', { mode: 'real', speed: 50 })
    expect(body).toMatchObject({ mode: 'real', speed: 50 })
    expect(emulator.clock.mode).toBe('real')
    expect((await call('POST /clock/advance', { by: '1s' })).status).toBe(409)
  })

  it.each([
    [
      'POST /clock',
      { mode: 'quick' },
      /^body\.mode: "quick" is not allowed here\. Allowed: real, auto, /,
    ],
    ['POST /clock', { speed: 0 }, /^speed: 0 is not a number above 0/],
    [
      'POST /clock/advance',
      { by: 'soon' },
      /^clock\.advance: duration is "soon"; expected a duration such as 250ms/,
    ],
    ['POST /clock/advance', { to: 'soon' }, /^clock\.advanceTo: moment is "soon"; expected a Date/],
    ['POST /clock/advance', {}, /^Pass either "by", a duration, or "to"/],
    [
      'POST /clock/advance',
      '{"by"',
      /not JSON: Expecting ':' delimiter at character 6\. It begins/,
    ],
    ['POST /clock/advance', "{'by': '1m'}", /not JSON: .*double quotes at character 2\. It begins/],
    [
      'POST /clock/advance',
      'by=1m',
      /It begins with "by=1m" and was sent as \S+\. Send JSON and no form/,
    ],
  ])('refuse bad values: %s %j', async (line, body, detail) => {
    const { emulator, call } = await controlledOver(open)
    const refused = await call(line, body)
    expect(refused.status).toBe(400)
    expect(refused.body.detail).toMatch(detail)
    expect(emulator.clock.now()).toBe(Date.UTC(2026, 0, 1))
  })
})
