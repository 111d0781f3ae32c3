import { expect, it } from 'vitest'
import { operations } from '../../../src/compose/control-table.js'
import { controlled } from './control.js'

/** How much of an id the emulator shows. */
const SHOWN = 8

/** What some rows need besides the id. */
const ALSO: Readonly<Record<string, string>> = { '/trace': '&format=json', '/wait': '&timeout=1ms' }

it('each row that reads takes ids as they are shown', async () => {
  const { emulator, call } = controlled({
    webhooks: [{ name: 'pager', url: 'http://receiver.test/hook' }],
    send: () => Promise.resolve({ status: 200, body: '' }),
  })
  const { id: job } = await emulator.jobs.start()
  await emulator.webhooks.trigger('RUN_STATE', { to: 'pager' })
  await emulator.settle()
  const ids = { job_id: job, delivery_id: emulator.webhooks.deliveries[0]!.id }
  const asked: string[] = []
  for (const { host, method, path, query } of operations) {
    const inPath = /\{(job_id|delivery_id)\}/.exec(path)?.[1] as keyof typeof ids | undefined
    const inQuery = query !== undefined && 'job' in ((query as { fields?: object }).fields ?? {})
    if (host !== 'control' || method !== 'GET' || (!inPath && !inQuery)) continue
    const lineWith = (id: string): string => {
      const called = path.replace('/_emulator', '').replace(/\{\w+\}/, id)
      const also = ALSO[/\/\w+$/.exec(path)?.[0] ?? ''] ?? ''
      return `GET ${called}${inPath ? '' : `?job=${id}${also}`}`
    }
    const whole = ids[inPath ?? 'job_id']
    const answer = await call(lineWith(whole))
    expect([200, 408]).toContain(answer.status)
    expect(await call(lineWith(whole.slice(0, SHOWN).toUpperCase()))).toEqual(answer)
    asked.push(path)
  }
  expect(asked.length).toBeGreaterThan(8)
})

it('a beginning that several ids have is refused, and they are named', async () => {
  const { emulator, call } = controlled()
  // There are 16 digits.
  const ids: string[] = []
  while (ids.length < 17) ids.push((await emulator.jobs.start()).id)
  const [digit] = ids.find(([one], at) => ids.findIndex(([other]) => other === one) < at)!
  const refused = await call(`POST /jobs/${digit}/fail`)
  expect(refused.status).toBe(404)
  for (const id of ids.filter(([begin]) => begin === digit)) {
    expect(refused.body.detail).toContain(id)
  }
  expect(emulator.jobs.all.filter(({ status }) => status === 'failed')).toEqual([])
})
