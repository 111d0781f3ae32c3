import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listenOptions } from '../../src/emulator/adapters/listen.js'
import { handlersOptions, serviceHosts } from '../../src/emulator/adapters/msw-handlers.js'
import { handlers, sinkHandler } from '../../src/emulator/adapters/msw.js'
import { portLimits } from '../../src/emulator/adapters/port-limits.js'
import { sinkHandlerOptions } from '../../src/emulator/adapters/sink-msw.js'
import { artifactsWhere, artifactToPut } from '../../src/emulator/artifacts.js'
import { checkpointToAdd, checkpointToDelete } from '../../src/emulator/checkpoints.js'
import { jobToStart } from '../../src/emulator/jobs.js'
import { lineageOptions } from '../../src/emulator/lineage.js'
import { modelToCreate } from '../../src/emulator/models.js'
import { historyOptions, runsWhere } from '../../src/emulator/runs.js'
import {
  assertAnsweredBy,
  assertArtifactAlias,
  assertLoggedMetric,
  assertReceivedRequest,
  assertReceivedWebhook,
} from '../../src/runners/assert.js'
import { createEmulator as createBrowserEmulator } from '../../src/browser.js'
import { createClient } from '../../src/compose/create-client.js'
import { clientOptions } from '../../src/emulator/control/client/client.js'
import { useOptions } from '../../src/emulator/control/client/scenario.js'
import { emulatorOptions } from '../../src/emulator/emulator-options.js'
import { emulatorSinkOptions } from '../../src/compose/emulator-sink.js'
import { nodeEmulatorOptions } from '../../src/compose/node-runtime.js'
import {
  recordingOptions,
  sinkListenOptions,
  webhookSinkOptions,
} from '../../src/compose/create-sink.js'
import { resetOptions } from '../../src/emulator/emulator.js'
import { faultScope } from '../../src/emulator/faults.js'
import { baseModelOptions, tokenizerContent } from '../../src/emulator/tokenizers.js'
import {
  createEmulator,
  createWebhookSink,
  defaultWebhooks,
  expressHandler,
  openWebhookSink,
  OptionsError,
} from '../../src/index.js'
import { matchers } from '../../src/runners/jest.js'
import { answeringModel } from '../../src/runners/matchers/chats.js'
import { aliasedVersion, loggedMetric } from '../../src/runners/matchers/platform.js'
import { requestCount } from '../../src/runners/matchers/requests.js'
import { deliveryCount } from '../../src/runners/matchers/webhooks.js'
import { settleOptions } from '../../src/emulator/testing/settle.js'
import { snapshotOptions } from '../../src/emulator/snapshot.js'
import { billOptions } from '../../src/tools/bill/verb.js'
import { clientChecks } from '../../src/emulator/testing/client-checks.js'
import { whichJob } from '../../src/emulator/testing/job-handle.js'
import { requestPattern } from '../../src/emulator/testing/request-pattern.js'
import { waitOptions } from '../../src/emulator/testing/requests.js'
import { harOptions, reportOptions } from '../../src/emulator/report-options.js'
import {
  explore,
  exploredEmulatorOptions,
  exploreOptions,
  ownScenario,
} from '../../src/runners/explore.js'
import { fixtureOptions, test } from '../../src/runners/vitest.js'
import { diagnose, sign, verify } from '../../src/webhooks.js'
import { signatureForm } from '../../src/webhooks/signature/signature.js'
import { scriptedAnswer } from '../../src/webhooks/sink/answers.js'
import { deliveryPattern } from '../../src/webhooks/sink/match.js'
import { deliveryWaitOptions, expectNoneOptions } from '../../src/webhooks/sink/sink.js'
import {
  addedReceiver,
  defaultReceiver,
  receiverOptions,
} from '../../src/webhooks/sending/receivers.js'
import { triggerFacts } from '../../src/webhooks/sending/trigger.js'
import { signatureRules } from '../../src/webhooks/signature/verify.js'
import { clockChange } from '../../src/base/clock/clock.js'
import { anything, type Kind } from '../../src/base/text/options.js'

// As JavaScript calls: no compiler looks at these options.
// oxlint-disable-next-line typescript/no-explicit-any
type Given = any

const emulator = createEmulator()
const sink = createWebhookSink()
const client = createClient({ url: 'http://127.0.0.1:4600' })
const delivered = { body: '{}', headers: {} }

interface Row {
  readonly options: { readonly keys: readonly string[]; readonly table: object }
  /** Each function that takes them. */
  readonly calls: Readonly<Record<string, (given: Given) => unknown>>
  /** The place of the options in the arguments of the functions. */
  readonly inside?: string
}

/** One row for each table of options in the source. */
const rows: Readonly<Record<string, Row>> = {
  nodeEmulatorOptions: { options: nodeEmulatorOptions, calls: { createEmulator } },
  emulatorOptions: { options: emulatorOptions, calls: { createEmulator: createBrowserEmulator } },
  baseModelOptions: {
    options: baseModelOptions,
    calls: { createEmulator: (given) => createEmulator({ baseModels: [given] }) },
    inside: 'baseModels[0].',
  },
  tokenizerContent: {
    options: tokenizerContent,
    calls: {
      createEmulator: (tokenizer) => createEmulator({ baseModels: [{ id: 'a', tokenizer }] }),
    },
    inside: 'baseModels[0].tokenizer.',
  },
  receiverOptions: {
    options: receiverOptions,
    calls: { createEmulator: (given) => createEmulator({ webhooks: [given] }) },
    inside: 'webhooks[0].',
  },
  defaultReceiver: {
    options: defaultReceiver,
    calls: { defaultWebhooks: (given) => defaultWebhooks(given) },
  },
  addedReceiver: {
    options: addedReceiver,
    calls: {
      'webhooks.add': (given) =>
        emulator.webhooks.add({ url: 'http://127.0.0.1:9', ...(given as object) }),
    },
  },
  listenOptions: { options: listenOptions, calls: { listen: (given) => emulator.listen(given) } },
  portLimits: {
    options: portLimits,
    calls: { listen: (limits) => emulator.listen({ limits }) },
    inside: 'limits.',
  },
  emulatorSinkOptions: {
    options: emulatorSinkOptions,
    calls: { createSink: (given) => emulator.createSink(given) },
  },
  clockChange: {
    options: clockChange,
    calls: {
      useClock: (given) => emulator.useClock('real', given),
      'clock.use': (given) => emulator.clock.use('real', given),
    },
  },
  resetOptions: {
    options: resetOptions,
    calls: { reset: (given) => emulator.reset(undefined, given) },
  },
  settleOptions: {
    options: settleOptions,
    calls: { settle: (given) => emulator.settle(undefined, given) },
  },
  snapshotOptions: {
    options: snapshotOptions,
    calls: { snapshot: (given) => emulator.snapshot(given) },
  },
  clientChecks: {
    options: clientChecks,
    calls: { assertClientChecks: (given) => emulator.assertClientChecks(given) },
  },
  whichJob: { options: whichJob, calls: { job: (given) => emulator.job(given) } },
  modelToCreate: {
    options: modelToCreate,
    calls: { 'models.create': (given) => emulator.models.create(given) },
  },
  jobToStart: {
    options: jobToStart,
    calls: { 'jobs.start': (given) => emulator.jobs.start(given) },
  },
  billOptions: {
    options: billOptions,
    calls: { bill: (given) => emulator.bill(given) },
  },
  checkpointToAdd: {
    options: checkpointToAdd,
    calls: { 'checkpoints.add': (given) => emulator.checkpoints.add(given) },
  },
  checkpointToDelete: {
    options: checkpointToDelete,
    calls: { 'checkpoints.delete': (given) => emulator.checkpoints.delete(0, given) },
  },
  runsWhere: { options: runsWhere, calls: { 'runs.list': (given) => emulator.runs.list(given) } },
  historyOptions: {
    options: historyOptions,
    calls: { 'runs.history': (given) => emulator.runs.history(undefined, given) },
  },
  artifactsWhere: {
    options: artifactsWhere,
    calls: {
      'artifacts.list': (given) => emulator.artifacts.list(given),
      'artifacts.collections': (given) => emulator.artifacts.collections(given),
    },
  },
  artifactToPut: {
    options: artifactToPut,
    calls: { 'artifacts.put': (given) => emulator.artifacts.put(given) },
  },
  loggedMetric: {
    options: loggedMetric,
    calls: {
      toHaveLoggedMetric: (given) => matchers.toHaveLoggedMetric(emulator, 'loss', given),
      assertLoggedMetric: (given) => assertLoggedMetric(emulator, 'loss', given),
    },
  },
  answeringModel: {
    options: answeringModel,
    calls: {
      toHaveAnsweredBy: (given) => matchers.toHaveAnsweredBy(emulator, 1, given),
      assertAnsweredBy: (given) => assertAnsweredBy(emulator, 1, given),
    },
  },
  aliasedVersion: {
    options: aliasedVersion,
    calls: {
      toHaveArtifactAlias: (given) => matchers.toHaveArtifactAlias(emulator, 'a', 'b', given),
      assertArtifactAlias: (given) => assertArtifactAlias(emulator, 'a', 'b', given),
    },
  },
  faultScope: {
    options: faultScope,
    calls: { 'faults.for': (given) => emulator.faults.for(given) },
  },
  triggerFacts: {
    options: triggerFacts,
    calls: {
      trigger: (given) => emulator.webhooks.trigger('RUN_STATE', given),
    },
  },
  requestPattern: {
    options: requestPattern,
    calls: {
      'requests.all': (given) => emulator.requests.all(given),
      'requests.count': (given) => emulator.requests.count(given),
      'requests.find': (given) => emulator.requests.find(given),
      'requests.waitFor': (given) => emulator.requests.waitFor(given),
      toHaveReceivedRequest: (given) => matchers.toHaveReceivedRequest(emulator, given),
    },
  },
  waitOptions: {
    options: waitOptions,
    calls: { 'requests.waitFor': (given) => emulator.requests.waitFor({}, given) },
  },
  requestCount: {
    options: requestCount,
    calls: {
      toHaveReceivedRequest: (given) => matchers.toHaveReceivedRequest(emulator, {}, given),
      assertReceivedRequest: (given) => assertReceivedRequest(emulator, {}, given),
    },
  },
  deliveryCount: {
    options: deliveryCount,
    calls: {
      toHaveReceivedWebhook: (given) => matchers.toHaveReceivedWebhook(sink, {}, given),
      assertReceivedWebhook: (given) => assertReceivedWebhook(sink, {}, given),
    },
  },
  deliveryPattern: {
    options: deliveryPattern,
    calls: {
      'sink.matching': (given) => sink.matching(given),
      'sink.waitFor': (given) => sink.waitFor(given),
      'sink.expectNone': (given) => sink.expectNone(given),
      toHaveReceivedWebhook: (given) => matchers.toHaveReceivedWebhook(sink, given),
      toHaveReceivedInOrder: (given) => matchers.toHaveReceivedInOrder(sink, [given]),
    },
  },
  deliveryWaitOptions: {
    options: deliveryWaitOptions,
    calls: { 'sink.waitFor': (given) => sink.waitFor({}, given) },
  },
  expectNoneOptions: {
    options: expectNoneOptions,
    calls: { 'sink.expectNone': (given) => sink.expectNone({}, given) },
  },
  scriptedAnswer: {
    options: scriptedAnswer,
    calls: { 'sink.answer': (given) => sink.answer(given) },
  },
  webhookSinkOptions: { options: webhookSinkOptions, calls: { createWebhookSink } },
  recordingOptions: { options: recordingOptions, calls: { openWebhookSink } },
  sinkListenOptions: {
    options: sinkListenOptions,
    calls: { 'sink.listen': (given) => sink.listen(given) },
  },
  signatureForm: {
    options: signatureForm,
    calls: { sign: (given) => sign('{}', 's3cret', given) },
  },
  signatureRules: {
    options: signatureRules,
    calls: {
      verify: (given) => verify(delivered, given),
      diagnose: (given) => diagnose(delivered, given),
    },
  },
  handlersOptions: {
    options: handlersOptions,
    calls: { handlers: (given) => handlers(emulator, given) },
  },
  serviceHosts: {
    options: serviceHosts,
    calls: { handlers: (hosts) => handlers(emulator, { hosts }) },
    inside: 'hosts.',
  },
  sinkHandlerOptions: {
    options: sinkHandlerOptions,
    calls: { sinkHandler: (given) => sinkHandler(sink, given) },
  },
  exploreOptions: {
    options: exploreOptions,
    calls: { explore: (given) => explore(() => {}, given) },
  },
  exploredEmulatorOptions: {
    options: exploredEmulatorOptions,
    calls: { explore: (given) => explore(() => {}, { emulatorOptions: given }) },
    inside: 'emulatorOptions.',
  },
  ownScenario: {
    options: ownScenario,
    calls: { explore: (given) => explore(() => {}, { scenarios: [given] }) },
    inside: 'scenarios[0].',
  },
  reportOptions: {
    options: reportOptions,
    calls: { report: (given) => emulator.report(given) },
  },
  lineageOptions: {
    options: lineageOptions,
    calls: { lineage: (given) => emulator.lineage(given) },
  },
  harOptions: { options: harOptions, calls: { har: (given) => emulator.har(given) } },
  clientOptions: { options: clientOptions, calls: { createClient } },
  useOptions: {
    options: useOptions,
    calls: { 'scenarios.use': (given) => client.scenarios.use('happy-path', given) },
  },
  fixtureOptions: {
    options: fixtureOptions,
    calls: { 'test.override': (given) => test.override(given) },
  },
}

const cases = Object.values(rows).flatMap(({ options, calls, inside = '' }) => {
  return Object.entries(calls).flatMap(([name, call]) => {
    return options.keys.map((key) => {
      const kind = (options.table as Record<string, Kind>)[key]!
      const wrong = key + key.at(-1)
      return { name, call, key, inside, kind, wrong, title: `${name}({ ${inside}${key} })` }
    })
  })
})

/** What a call throws, or rejects with. */
async function errorOf(call: () => unknown): Promise<OptionsError> {
  try {
    await call()
  } catch (error) {
    expect(error).toBeInstanceOf(OptionsError)
    return error as OptionsError
  }
  throw new Error('The call was accepted.')
}

it('the tests cover every table of options in the source', () => {
  const source = join(import.meta.dirname, '..', '..', 'src')
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  const declared = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [
      ...readFileSync(join(source, file), 'utf8').matchAll(/(\w+) = new Options</g),
    ])
    .map(([, table]) => table!)
  expect(declared.sort()).toEqual(Object.keys(rows).sort())
})

describe('a mistyped option', () => {
  it.each(cases)('$title', async ({ name, call, key, inside, wrong }) => {
    const error = await errorOf(() => call({ [wrong]: 1 }))
    expect(error.message).toContain(
      `${name}: unknown option "${inside}${wrong}". Did you mean "${key}"?`,
    )
    expect(error).toMatchObject({ function: name, option: inside + wrong, code: 'SVTRAIN_OPTIONS' })
  })
})

describe('an option with an invalid value', () => {
  it.each(cases.filter(({ kind }) => kind !== anything))(
    '$title',
    async ({ name, call, key, inside }) => {
      const error = await errorOf(() => call({ [key]: Symbol('nothing of use') }))
      expect(error.message).toContain(`${name}: option "${inside}${key}" is`)
    },
  )

  it.each<[message: string, call: () => unknown]>([
    [
      'createEmulator: option "clock" is "fast"; expected "real", "auto", "manual" or "instant".',
      () => createEmulator({ clock: 'fast' as Given }),
    ],
    [
      'createEmulator: option "clock" is "instnat"; expected "real", "auto", "manual" or "instant". Did you mean "instant"?',
      () => createEmulator({ clock: 'instnat' as Given }),
    ],
    [
      'createEmulator: option "speed" is -1; expected a number above 0, at most 1000000.',
      () => createEmulator({ speed: -1 }),
    ],
    [
      'createEmulator: option "speed" is "x"; expected a number above 0, at most 1000000.',
      () => createEmulator({ speed: 'x' as Given }),
    ],
    [
      'createEmulator: option "seed" is "abc"; expected a whole number, at least 0.',
      () => createEmulator({ seed: 'abc' as Given }),
    ],
    [
      'createEmulator: option "isolate" is "key"; expected "api-key".',
      () => createEmulator({ isolate: 'key' as Given }),
    ],
    [
      'createEmulator: unknown option "webhooks[0].uri". Did you mean "url"? Options: url, secret, access_token, name, signature, timeout, retries, adversary.',
      () => createEmulator({ webhooks: [{ uri: 'http://127.0.0.1:8080' } as Given] }),
    ],
    [
      'createEmulator: option "webhooks[1].url" is missing; expected a URL that begins with http:// or https://.',
      () => createEmulator({ webhooks: ['http://127.0.0.1:8080', {} as Given] }),
    ],
    [
      'createEmulator: option "webhooks[0].url" is an object; expected a URL that begins with http:// or https://.',
      () => createEmulator({ webhooks: [{ url: Object.create(null) }] }),
    ],
    [
      'createEmulator: option "webhooks" is "http://127.0.0.1:8080"; expected an array.',
      () => createEmulator({ webhooks: 'http://127.0.0.1:8080' as Given }),
    ],
    [
      'createEmulator: option "webhooks[0]" is "ftp://…@files.example.com/"; expected a URL that begins with http:// or https://.',
      () => createEmulator({ webhooks: ['ftp://me:s3cret@files.example.com/'] }),
    ],
    [
      'createEmulator: option "apiKeys[1]" is not a string.',
      () => createEmulator({ apiKeys: ['a-key', 12345 as Given] }),
    ],
    [
      'createEmulator: option "basePath" is "http://x/api"; expected a path of letters, digits and . _ ~ - such as "/api/training".',
      () => createEmulator({ basePath: 'http://x/api' }),
    ],
    [
      'createEmulator: option "contract" is "2026-10"; expected "2026-01" or "2026-11". In 2026-10, "2026-01" was in force.',
      () => createEmulator({ contract: '2026-10' as Given }),
    ],
    [
      'createEmulator: the options argument is "failing-job"; expected an object with the options scenario, ',
      () => createEmulator('failing-job' as Given),
    ],
    [
      'createEmulator: option "snapshot" is a promise (did you forget await?); expected',
      () => createEmulator({ snapshot: emulator.snapshot() }),
    ],
    [
      'defaultWebhooks: option "url" is missing; expected a URL',
      () => defaultWebhooks({ secret: 's3cret' } as Given),
    ],
    [
      'listen: option "port" is 99999; expected a whole number from 0 to 65535.',
      () => emulator.listen({ port: 99_999 }),
    ],
    [
      'useClock: mode is "fast"; expected "real", "auto", "manual" or "instant".',
      () => emulator.useClock('fast' as Given),
    ],
    [
      'clock.use: mode is "atuo"; expected "real", "auto", "manual" or "instant". Did you mean "auto"?',
      () => emulator.clock.use('atuo' as Given),
    ],
    [
      'settle: option "within" is "soon"; expected a duration such as 250ms, 10s, 5m or 1h30m, or milliseconds.',
      () => emulator.settle(undefined, { within: 'soon' }),
    ],
    [
      'settle: its first argument is an object; expected a promise; options come second, as in settle(undefined, { within: "30s" }).',
      () => emulator.settle({ within: '1s' } as Given),
    ],
    [
      'requests.waitFor: option "within" is "soon"; expected a duration',
      () => emulator.requests.waitFor('createModel', { within: 'soon' }),
    ],
    [
      'sink.expectNone: option "within" is null; expected a duration',
      () => sink.expectNone({}, { within: null as Given }),
    ],
    [
      'toHaveReceivedRequest: option "times" is "3"; expected a whole number, at least 0.',
      () => matchers.toHaveReceivedRequest(emulator, 'createModel', { times: '3' as Given }),
    ],
    [
      'toHaveFailed: message is an object; expected a string or a regular expression.',
      async () => {
        const job = await emulator.jobs.start()
        return matchers.toHaveFailed(job, { message: 'out of memory' } as Given)
      },
    ],
    ['job: option "model" is missing; expected a string.', () => emulator.job({} as Given)],
    [
      `jobs.start: option "model" is an object; expected a model's id, its name, or its record.`,
      () => emulator.jobs.start({ model: { name: 'poet' } as Given }),
    ],
    [
      'jobs.start: option "model" is a promise (did you forget await?); expected',
      () => emulator.jobs.start({ model: emulator.models.create() as Given }),
    ],
    ['sign: body is an object; expected the raw body', () => sign({} as Given, 's3cret')],
    ['sign: secret is missing; expected a string.', () => sign('{}', undefined as Given)],
    [
      'verify: unknown option "secret". Did you mean "secrets"? Options: ',
      () => verify(delivered, { secret: 's3cret' } as Given),
    ],
    [
      'verify: option "secrets.current" is missing; expected a string.',
      () => verify(delivered, { secrets: { current: undefined as Given } }),
    ],
    [
      'verify: delivered.body is an object; expected the raw body: a Uint8Array, or a string for its UTF-8.',
      () => verify({ body: { parsed: true } as Given, headers: {} }, { secrets: 's3cret' }),
    ],
    [
      'createWebhookSink: unknown option "secret". Did you mean "secrets"? Options: ',
      () => createWebhookSink({ secret: 's3cret' } as Given),
    ],
    [
      'createClient: the options argument is "http://127.0.0.1:4600"; expected an object with the options url, token, world, fetch.',
      () => createClient('http://127.0.0.1:4600' as Given),
    ],
    [
      'createClient: option "url" is missing; expected a URL',
      () => createClient({ url: undefined as Given }),
    ],
    [
      'expressHandler: host is "inferense"; expected "training" or "inference". Did you mean "inference"?',
      () => expressHandler(emulator, 'inferense' as Given),
    ],
    [
      'test.override: unknown option "emulatorOptions.senario". Did you mean "scenario"?',
      () => test.override({ emulatorOptions: { senario: 'failing-job' } as Given }),
    ],
    [
      'test.override: unknown option "emulatorOption". Did you mean "emulatorOptions"?',
      () => test.override('emulatorOption' as Given, {}),
    ],
  ])('%s', async (message, call) => {
    const error = await errorOf(call)
    expect(error.message).toContain(message)
  })
})

it('an error shows no secret that was passed in a wrong place', async () => {
  const error = await errorOf(() => verify(delivered, { secrets: [{ value: 's3cret' }] as Given }))
  expect(error.message).toBe('verify: option "secrets[0]" is not a string.')
})

it.each([new Date(), /RUN/, new Map(), new Set(), new Error('no')])(
  'a pattern that names nothing, such as %s, is refused: it would match everything',
  async (pattern) => {
    for (const wait of [
      () => emulator.requests.waitFor(pattern as Given),
      () => createWebhookSink().waitFor(pattern as Given),
    ]) {
      expect((await errorOf(wait)).message).toContain('expected an object with the options')
    }
  },
)

it('options can be undefined', () => {
  expect(() => createEmulator({ scenario: undefined, seed: undefined } as Given)).not.toThrow()
})

describe('functions with options', () => {
  it('sign a string as UTF-8', async () => {
    const bytes = new TextEncoder().encode('{"a":"ü"}')
    expect(await sign('{"a":"ü"}', 's3cret')).toBe(await sign(bytes, 's3cret'))
  })

  it('accept the webhook objects of the emulator', async () => {
    const told = createEmulator({ webhooks: ['http://127.0.0.1:9/hook'] })
    const rules = told.webhooks.rulesOf('receiver')!
    expect(await verify(delivered, rules)).toEqual({ verdict: 'missing' })
    expect(await diagnose(delivered, rules)).toMatchObject({ codes: ['no-signature'] })
  })
})
