import { describe, expect, it } from 'vitest'
import { reportJson } from '../../src/cli/tools/play/report-json.js'
import { reportText } from '../../src/cli/tools/play/report-text.js'
import { played } from '../tools/play/played.js'

const plain = (_style: unknown, text: string): string => text

describe('a readable report', () => {
  it('leaves out the middle of a long run, but shows every problem', async () => {
    const report = await played({
      play: { jobs: [{ trajectories: 12 }] },
      faults: [
        { fault: 'status', status: 503, match: { operation: 'createModel' }, calls: 1 },
        { fault: 'drop', match: { operation: 'listTrainingJobEvents' }, calls: 1 },
      ],
    })
    const lines = reportText(report, { paint: plain }).split('\n')
    expect(lines.filter((line) => line.includes('gradient_step '))).toHaveLength(5)
    expect(lines.filter((line) => line.endsWith('… 7 more'))).toHaveLength(1)
    expect(lines).toContainEqual(expect.stringMatching(/503: .+; again in 500ms$/))
    expect(lines).toContainEqual(expect.stringMatching(/events the connection was lost; again/))
  })

  it('shows only the loss and the reward of a step', async () => {
    const lines = reportText(await played('happy-path'), { paint: plain }).split('\n')
    const steps = lines.filter((line) => line.includes(' gradient_step '))
    expect(steps).toHaveLength(4)
    for (const step of steps) expect(step).toMatch(/gradient_step loss [\d.]+, reward [\d.]+$/)
  })

  it.each([
    [8, []],
    [10, ['  … 2 more']],
  ])('shows at most eight of %d metrics', async (count, more) => {
    const names = Array.from({ length: count }, (_, index) => `m${index}`)
    const metrics = Object.fromEntries(names.map((name) => [name, 1]))
    const without = ['loss', 'reward', 'policy_loss', 'entropy', 'kl_div', 'grad_norm']
    const report = await played({})
    const [job] = report.jobs
    const event = { at: 0, id: 'e', type: 'gradient_step', data: metrics }
    const own = { ...report, timeline: [], jobs: [{ ...job!, events: [event] }] }
    const lines = reportText(own, { paint: plain }).split('\n')
    expect(lines.filter((line) => /^ {2}m\d /.test(line))).toHaveLength(8)
    expect(lines.filter((line) => line.includes('more'))).toEqual(more)
    expect(without.some((name) => lines.join().includes(name))).toBe(false)
  })

  it('shows the first and the last value of a metric, and last those that never change', async () => {
    const report = await played({})
    const [job] = report.jobs
    const events = [2, 1, 0.5].map((loss, at) => {
      const last: object = at === 2 ? { constructor: 5, 長さ: 1 } : {}
      return { at, id: `e${at}`, type: 'gradient_step', data: { broken: NaN, loss, ...last } }
    })
    const own = { ...report, timeline: [], jobs: [{ ...job!, events }] }
    const lines = reportText(own, { paint: plain }).split('\n')
    expect(lines.slice(-4)).toEqual([
      expect.stringMatching(/^ {2}loss {9}\S+ {2}2 → 0\.5$/),
      expect.stringMatching(/^ {2}constructor {2}\S+ {2}missing → 5$/),
      expect.stringMatching(/^ {2}長さ {9}\S+ {2}missing → 1$/),
      expect.stringMatching(/^ {2}broken /),
    ])
  })

  it('shows control characters of a scenario escaped', async () => {
    const report = await played({
      description: 'a\u001b[31m',
      play: { jobs: [{ model: 'b\u009bc' }] },
    })
    for (const text of [reportText(report, { paint: plain }), reportJson(report)]) {
      for (const control of ['\u001b', '\u009b']) expect(text).not.toContain(control)
    }
  })
})
