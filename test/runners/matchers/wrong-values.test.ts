import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { matchers } from '../../../src/jest.js'

const emulator = createEmulator({ clock: 'manual' })
const sink = emulator.createSink()
const job = await emulator.jobs.start()
await emulator.settle()

/** A value that a test can pass by mistake, and how a message names it. */
type Wrong = readonly [value: unknown, name: string]

class Trainer {
  readonly secret = 's3cret'
}

const circular: unknown[] = []
circular.push(circular)

const anyWrong: readonly Wrong[] = [
  [emulator.jobs, 'emulator.jobs'],
  [emulator.webhooks, 'emulator.webhooks'],
  [emulator.webhooks.deliveries, 'an array that begins with a delivery that the emulator sent'],
  [[job], 'an array that begins with a job'],
  [circular, 'an array that begins with an array'],
  [new Trainer(), 'an instance of Trainer'],
  [new Response('{}'), 'an instance of Response'],
  [Trainer, 'a function'],
  [() => emulator.job(), 'a function'],
  [emulator.jobs.start(), 'a promise (did you forget await?)'],
  [{}, 'an object without fields'],
  [Object.create(null), 'an object without fields'],
  [
    Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`f${at}`, 's3cret'])),
    'an object with the fields f0, f1, f2, f3, …',
  ],
  [undefined, 'undefined'],
  [null, 'null'],
  ['poet', '"poet"'],
  [4, '4'],
  [Symbol('poet'), 'Symbol(poet)'],
]

const anEmulator: Wrong = [emulator, 'an emulator']
const aSink: Wrong = [sink, 'a webhook sink']
const aJob: Wrong = [job, 'a job']
const aDelivery: Wrong = [sink.deliveries[0], 'a delivery that a sink received']

const forJobs = {
  takes: 'not a job. Pass emulator.job(), or emulator.job({ model }).',
  wrong: [anEmulator, aSink, aDelivery, ...anyWrong],
}
const forSinks = {
  takes: 'not a webhook sink. Pass the sink, or deliveries of one.',
  wrong: [anEmulator, aJob, ...anyWrong],
}
const forEmulators = (part: string): typeof forJobs => ({
  takes: `not an emulator. Pass the emulator${part}.`,
  wrong: [aSink, aJob, aDelivery, ...anyWrong],
})

/** For each matcher: what it takes, and its other arguments. */
const rows: Readonly<Record<keyof typeof matchers, readonly [typeof forJobs, ...unknown[]]>> = {
  toHaveStarted: [forJobs],
  toHaveEnded: [forJobs],
  toHaveFailed: [forJobs],
  toHaveReceivedRequest: [forEmulators(', or emulator.requests'), 'createModel'],
  toHaveAnsweredBy: [forEmulators(''), 1],
  toHaveLoggedMetric: [forEmulators(', or emulator.runs'), 'loss'],
  toHaveFinishedRun: [forEmulators(', or emulator.runs')],
  toHaveArtifactAlias: [forEmulators(', or emulator.artifacts'), 'rows', 'best'],
  toHaveReceivedWebhook: [forSinks],
  toHaveReceivedInOrder: [forSinks, []],
  toBeValidlySigned: [forSinks],
}

describe.each(Object.entries(rows))('%s', (name, [{ takes, wrong }, ...others]) => {
  const matcher = matchers[name as keyof typeof matchers] as (...given: unknown[]) => unknown
  it.each(wrong)('names what it was given: %#', (value, words) => {
    expect(() => matcher(value, ...others)).toThrow(new TypeError(`This is ${words}, ${takes}`))
  })
})
