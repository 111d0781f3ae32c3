import { describe, expect, it } from 'vitest'
import { createEmulator, createWebhookSink, OptionsError } from '../../../src/index.js'
import { isDuration, milliseconds, parseDuration } from '../../../src/base/text/duration.js'

it.each([
  ['250ms', 250],
  ['2s', 2000],
  ['1.5s', 1500],
  ['1h30m', 5_400_000],
  ['1d', 86_400_000],
  ['0', 0],
])('parseDuration reads %s', (text, expected) => {
  expect(parseDuration(text)).toBe(expected)
  expect(milliseconds(text)).toBe(expected)
})

it('parseDuration reads a number as milliseconds', () => {
  expect(milliseconds(1500)).toBe(1500)
})

it.each(['', '5', '1x', 's', '-1s', '1 s', '1s 2', 'NaNs', '1e3s', '36501d'])(
  'parseDuration refuses "%s"',
  (text) => {
    expect(parseDuration(text)).toBeUndefined()
  },
)

const NONSENSE = ['soon', '', '-1s', -1, Number.NaN, Infinity, null, {}, true]

it.each(NONSENSE)('parseDuration throws for %j', (value) => {
  expect(isDuration(value)).toBe(false)
  expect(() => milliseconds(value as string)).toThrow(RangeError)
  expect(() => milliseconds(value as string)).toThrow(
    /^Failed to read a duration: got .*; expected a duration such as 250ms, 10s, 5m or 1h30m, or milliseconds\.$/,
  )
})

// As JavaScript calls: no compiler looks at these options.
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any

const emulator = createEmulator({ clock: 'manual' })
const sink = createWebhookSink()

describe.each<[what: string, call: (duration: Any) => unknown]>([
  ['settle', (within) => emulator.settle(undefined, { within })],
  ['clock.advance', (duration) => emulator.clock.advance(duration)],
  ['requests.waitFor', (within) => emulator.requests.waitFor('createModel', { within })],
  ['checkpoints.add', (served_after) => emulator.checkpoints.add({ served_after })],
  ['checkpoints.add', (evicted_after) => emulator.checkpoints.add({ evicted_after })],
  ['sink.waitFor', (timeout) => sink.waitFor({}, { timeout })],
  ['sink.expectNone', (within) => sink.expectNone({}, { within })],
  ['sink.answer', (after) => sink.answer({ after })],
])('%s', (name, call) => {
  it.each(NONSENSE)('refuses %j as a duration', async (value) => {
    const refused = await Promise.resolve()
      .then(() => call(value))
      .then(
        () => undefined,
        (error: unknown) => error as Error,
      )
    expect(refused).toBeInstanceOf(OptionsError)
    expect(refused!.message).toMatch(
      new RegExp(
        `^${name}: .* expected a duration such as 250ms, 10s, 5m or 1h30m, or milliseconds\\.`,
      ),
    )
  })
})

describe.each<[field: string, scenario: (duration: Any) => object]>([
  ['timeline[0].at', (at) => ({ timeline: [{ do: 'fail_job', error_message: '', at }] })],
  ['faults[0].delay', (delay) => ({ faults: [{ fault: 'delay', delay }] })],
  [
    'faults[0].during.to',
    (to) => ({ faults: [{ fault: 'status', status: 500, during: { from: '0', to } }] }),
  ],
  [
    'faults[0].retry_after',
    (retry_after) => ({ faults: [{ fault: 'status', status: 500, retry_after }] }),
  ],
  ['faults[0].within', (within) => ({ faults: [{ fault: 'rate_limit', requests: 1, within }] })],
  ['faults[0].every', (every) => ({ faults: [{ fault: 'trickle', every }] })],
  ...['after', 'every', 'within', 'jitter'].map((field): [string, (duration: Any) => object] => [
    `jobs[0].timeline[0].${field}`,
    (value) => ({ jobs: [{ timeline: [{ event: 'gradient_step', [field]: value }] }] }),
  ]),
  [
    'jobs[0].timeline[0].for',
    (wait) => ({ jobs: [{ timeline: [{ event: 'pause', for: wait }] }] }),
  ],
  ['chat.pace.first_token', (first_token) => ({ chat: { pace: { first_token } } })],
])('the field %s of a scenario', (field, scenario) => {
  it.each(['soon', '', '-1s', -1, Number.NaN, Infinity, null])('refuses %j', (value) => {
    const given = { name: 'mine', ...scenario(value) } as Any
    expect(() => createEmulator({ scenario: given })).toThrow(
      `${field}: expected a duration such as`,
    )
  })
})
