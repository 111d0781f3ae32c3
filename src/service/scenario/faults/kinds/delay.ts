import { gaussian } from '../../../../base/random/random.js'
import { milliseconds } from '../../../../base/text/duration.js'
import { defineFault, type FaultedCall } from '../definition.js'

export const delay = defineFault({
  schema: ({ faultSchema, strictObject, union, duration, stage, valuesMean }) =>
    faultSchema('delay', 'Delays the response.', {
      delay: union(
        [
          duration,
          strictObject({
            from: duration.meta({
              description: 'The shortest delay, such as 1s.',
              examples: ['1s'],
            }),
            to: duration.meta({ description: 'The longest delay, such as 3s.', examples: ['3s'] }),
          }).describe('A random delay, evenly distributed between the two.'),
          strictObject({
            median: duration.meta({
              description: 'Half of the delays are shorter than this.',
              examples: ['200ms'],
            }),
            p99: duration.meta({
              description: '99 of 100 delays are shorter than this.',
              examples: ['2s'],
            }),
          }).describe(
            'A random delay, log-normal: most are near the median, a few are much longer.',
          ),
        ],
        {
          error:
            'expected a duration such as 2s, { from: 1s, to: 3s } or { median: 200ms, p99: 2s }',
        },
      ).meta({
        description:
          'How late the response is: 2s, { from: 1s, to: 3s } or { median: 200ms, p99: 2s }.',
        examples: ['2s', { from: '1s', to: '3s' }, { median: '200ms', p99: '2s' }],
      }),
      stage: stage.meta({
        ...valuesMean('When the client waits.', {
          before: 'before the work, which happens late as well',
          after: 'after the work, whose result others see at once',
        }),
        examples: ['after'],
      }),
    }),
  words: () => ['late', 'a late answer'],
  survivable: true,
  damage: 'late',
  apply({ delay: rule, stage }, call) {
    const time = delayOf(rule, call)
    if (stage === 'before') call.plan.delayBefore += time
    else call.plan.delayAfter += time
    return `${time} ms late`
  },
})

/** How late an answer is: a time, two bounds, or a distribution. */
export type Delay = string | { from: string; to: string } | { median: string; p99: string }

/** Returns a delay in milliseconds. */
function delayOf(rule: Delay, { random, purpose }: FaultedCall): number {
  if (typeof rule === 'string') return milliseconds(rule)
  if ('from' in rule) {
    const [from, to] = [milliseconds(rule.from), milliseconds(rule.to)]
    return Math.round(from + random.unit('delay', purpose) * (to - from))
  }
  // In a log-normal distribution, the 99th percentile is 2.326 deviations above the median.
  const median = Math.max(1, milliseconds(rule.median))
  const deviation = Math.log(Math.max(median, milliseconds(rule.p99)) / median) / 2.326
  const drawn = gaussian(random.hash('delay', purpose)[0], 0)
  return Math.round(median * Math.exp(deviation * drawn))
}
