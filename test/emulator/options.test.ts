import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listenOptions } from '../../src/emulator/adapters/listen-options.js'
import { handlersOptions, serviceHosts } from '../../src/emulator/adapters/handlers-options.js'
import { handlers, sinkHandler } from '../../src/emulator/adapters/msw.js'
import { portLimits } from '../../src/emulator/adapters/port-limits.js'
import { sinkHandlerOptions } from '../../src/emulator/adapters/sink-msw.js'
import { artifactsWhere } from '../../src/emulator/artifacts.js'
import { artifactToPut } from '../../src/emulator/artifact-to-put.js'
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
import { clientOptions } from '../../src/emulator/control/client/http-call.js'
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
import { baseModelOptions, tokenizerContent } from '../../src/emulator/base-model-options.js'
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
import { deliveryWaitOptions, expectNoneOptions } from '../../src/webhooks/sink/sink-options.js'
import { addedReceiver } from '../../src/webhooks/sending/added-receiver.js'
import { defaultReceiver } from '../../src/webhooks/sending/default-webhooks.js'
import { receiverOptions } from '../../src/webhooks/sending/webhook-receiver.js'
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

type Row = readonly [
  /** The table, by its name in the source. */
  options: Readonly<Record<string, { readonly keys: readonly string[]; readonly table: object }>>,
  /** Each function that takes them. */
  calls: Readonly<Record<string, (given: Given) => unknown>>,
  /** The place of the options in the arguments of the functions. */
  inside?: string,
]

/** One row for each table of options in the source. */
const rows: readonly Row[] = [
  [{ nodeEmulatorOptions }, { createEmulator }],
  [{ emulatorOptions }, { createEmulator: createBrowserEmulator }],
  [
    { baseModelOptions },
    { createEmulator: (given) => createEmulator({ baseModels: [given] }) },
    'baseModels[0].',
  ],
  [
    { tokenizerContent },
    {
      createEmulator: (tokenizer) => createEmulator({ baseModels: [{ id: 'a', tokenizer }] }),
    },
    'baseModels[0].tokenizer.',
  ],
  [
    { receiverOptions },
    { createEmulator: (given) => createEmulator({ webhooks: [given] }) },
    'webhooks[0].',
  ],
  [{ defaultReceiver }, { defaultWebhooks: (given) => defaultWebhooks(given) }],
  [
    { addedReceiver },
    {
      'webhooks.add': (given) =>
        emulator.webhooks.add({ url: 'http://127.0.0.1:9', ...(given as object) }),
    },
  ],
  [{ listenOptions }, { listen: (given) => emulator.listen(given) }],
  [{ portLimits }, { listen: (limits) => emulator.listen({ limits }) }, 'limits.'],
  [{ emulatorSinkOptions }, { createSink: (given) => emulator.createSink(given) }],
  [
    { clockChange },
    {
      useClock: (given) => emulator.useClock('real', given),
      'clock.use': (given) => emulator.clock.use('real', given),
    },
  ],
  [{ resetOptions }, { reset: (given) => emulator.reset(undefined, given) }],
  [{ settleOptions }, { settle: (given) => emulator.settle(undefined, given) }],
  [{ snapshotOptions }, { snapshot: (given) => emulator.snapshot(given) }],
  [{ clientChecks }, { assertClientChecks: (given) => emulator.assertClientChecks(given) }],
  [{ whichJob }, { job: (given) => emulator.job(given) }],
  [{ modelToCreate }, { 'models.create': (given) => emulator.models.create(given) }],
  [{ jobToStart }, { 'jobs.start': (given) => emulator.jobs.start(given) }],
  [{ billOptions }, { bill: (given) => emulator.bill(given) }],
  [{ checkpointToAdd }, { 'checkpoints.add': (given) => emulator.checkpoints.add(given) }],
  [
    { checkpointToDelete },
    { 'checkpoints.delete': (given) => emulator.checkpoints.delete(0, given) },
  ],
  [{ runsWhere }, { 'runs.list': (given) => emulator.runs.list(given) }],
  [{ historyOptions }, { 'runs.history': (given) => emulator.runs.history(undefined, given) }],
  [
    { artifactsWhere },
    {
      'artifacts.list': (given) => emulator.artifacts.list(given),
      'artifacts.collections': (given) => emulator.artifacts.collections(given),
    },
  ],
  [{ artifactToPut }, { 'artifacts.put': (given) => emulator.artifacts.put(given) }],
  [
    { loggedMetric },
    {
      toHaveLoggedMetric: (given) => matchers.toHaveLoggedMetric(emulator, 'loss', given),
      assertLoggedMetric: (given) => assertLoggedMetric(emulator, 'loss', given),
    },
  ],
  [
    { answeringModel },
    {
      toHaveAnsweredBy: (given) => matchers.toHaveAnsweredBy(emulator, 1, given),
      assertAnsweredBy: (given) => assertAnsweredBy(emulator, 1, given),
    },
  ],
  [
    { aliasedVersion },
    {
      toHaveArtifactAlias: (given) => matchers.toHaveArtifactAlias(emulator, 'a', 'b', given),
      assertArtifactAlias: (given) => assertArtifactAlias(emulator, 'a', 'b', given),
    },
  ],
  [{ faultScope }, { 'faults.for': (given) => emulator.faults.for(given) }],
  [
    { triggerFacts },
    {
      trigger: (given) => emulator.webhooks.trigger('RUN_STATE', given),
    },
  ],
  [
    { requestPattern },
    {
      'requests.all': (given) => emulator.requests.all(given),
      'requests.count': (given) => emulator.requests.count(given),
      'requests.find': (given) => emulator.requests.find(given),
      'requests.waitFor': (given) => emulator.requests.waitFor(given),
      toHaveReceivedRequest: (given) => matchers.toHaveReceivedRequest(emulator, given),
    },
  ],
  [{ waitOptions }, { 'requests.waitFor': (given) => emulator.requests.waitFor({}, given) }],
  [
    { requestCount },
    {
      toHaveReceivedRequest: (given) => matchers.toHaveReceivedRequest(emulator, {}, given),
      assertReceivedRequest: (given) => assertReceivedRequest(emulator, {}, given),
    },
  ],
  [
    { deliveryCount },
    {
      toHaveReceivedWebhook: (given) => matchers.toHaveReceivedWebhook(sink, {}, given),
      assertReceivedWebhook: (given) => assertReceivedWebhook(sink, {}, given),
    },
  ],
  [
    { deliveryPattern },
    {
      'sink.matching': (given) => sink.matching(given),
      'sink.waitFor': (given) => sink.waitFor(given),
      'sink.expectNone': (given) => sink.expectNone(given),
      toHaveReceivedWebhook: (given) => matchers.toHaveReceivedWebhook(sink, given),
      toHaveReceivedInOrder: (given) => matchers.toHaveReceivedInOrder(sink, [given]),
    },
  ],
  [{ deliveryWaitOptions }, { 'sink.waitFor': (given) => sink.waitFor({}, given) }],
  [{ expectNoneOptions }, { 'sink.expectNone': (given) => sink.expectNone({}, given) }],
  [{ scriptedAnswer }, { 'sink.answer': (given) => sink.answer(given) }],
  [{ webhookSinkOptions }, { createWebhookSink }],
  [{ recordingOptions }, { openWebhookSink }],
  [{ sinkListenOptions }, { 'sink.listen': (given) => sink.listen(given) }],
  [{ signatureForm }, { sign: (given) => sign('{}', 's3cret', given) }],
  [
    { signatureRules },
    {
      verify: (given) => verify(delivered, given),
      diagnose: (given) => diagnose(delivered, given),
    },
  ],
  [{ handlersOptions }, { handlers: (given) => handlers(emulator, given) }],
  [{ serviceHosts }, { handlers: (hosts) => handlers(emulator, { hosts }) }, 'hosts.'],
  [{ sinkHandlerOptions }, { sinkHandler: (given) => sinkHandler(sink, given) }],
  [{ exploreOptions }, { explore: (given) => explore(() => {}, given) }],
  [
    { exploredEmulatorOptions },
    { explore: (given) => explore(() => {}, { emulatorOptions: given }) },
    'emulatorOptions.',
  ],
  [
    { ownScenario },
    { explore: (given) => explore(() => {}, { scenarios: [given] }) },
    'scenarios[0].',
  ],
  [{ reportOptions }, { report: (given) => emulator.report(given) }],
  [{ lineageOptions }, { lineage: (given) => emulator.lineage(given) }],
  [{ harOptions }, { har: (given) => emulator.har(given) }],
  [{ clientOptions }, { createClient }],
  [{ useOptions }, { 'scenarios.use': (given) => client.scenarios.use('happy-path', given) }],
  [{ fixtureOptions }, { 'test.override': (given) => test.override(given) }],
]

const cases = rows.flatMap(([named, calls, inside = '']) => {
  const [options] = Object.values(named) as [Row[0][string]]
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
  expect(declared.sort()).toEqual(rows.flatMap(([named]) => Object.keys(named)).sort())
})

it.each(cases)('a mistyped option $title', async ({ name, call, key, inside, wrong }) => {
  const error = await errorOf(() => call({ [wrong]: 1 }))
  expect(error.message).toContain(
    `${name}: unknown option "${inside}${wrong}". Did you mean "${key}"?`,
  )
  expect(error).toMatchObject({ function: name, option: inside + wrong, code: 'SVTRAIN_OPTIONS' })
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
      'createEmulator: option "clock" is "instnat"; expected "real", "auto", "manual" or "instant". Did you mean "instant"?',
      () => createEmulator({ clock: 'instnat' as Given }),
    ],
    [
      'createEmulator: option "speed" is -1; expected a number above 0, at most 1000000.',
      () => createEmulator({ speed: -1 }),
    ],
    [
      'createEmulator: option "seed" is "abc"; expected a whole number from 0 to 9007199254740991.',
      () => createEmulator({ seed: 'abc' as Given }),
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
      'createEmulator: option "webhooks" is "http://127.0.0.1:8080"; expected an array.',
      () => createEmulator({ webhooks: 'http://127.0.0.1:8080' as Given }),
    ],
    [
      'createEmulator: option "webhooks[0]" is "ftp://…@files.example.com/"; expected a URL that begins with http:// or https://.',
      () => createEmulator({ webhooks: ['ftp://me:s3cr@t@files.example.com/'] }),
    ],
    [
      'webhooks.add: option "url" is missing; expected a URL',
      () => createEmulator().webhooks.add({ secret: 'whsec_c2VjcmV0' } as Given),
    ],
    [
      'option "secrets" is not a string, a list of strings, or an object with strings.',
      () => createWebhookSink({ secrets: 5 as Given }),
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
      'toHaveFailed: message is an object; expected a string or a regular expression.',
      async () => {
        const job = await emulator.jobs.start()
        return matchers.toHaveFailed(job, { message: 'out of memory' } as Given)
      },
    ],
    [
      `jobs.start: option "model" is an object; expected a model's id, its name, or its record.`,
      () => emulator.jobs.start({ model: { name: 'poet' } as Given }),
    ],
    ['sign: body is an object; expected the raw body', () => sign({} as Given, 's3cret')],
    [
      'verify: option "secrets.current" is missing; expected a string.',
      () => verify(delivered, { secrets: { current: undefined as Given } }),
    ],
    [
      'verify: delivered.body is an object; expected the raw body: a Uint8Array, or a string for its UTF-8.',
      () => verify({ body: { parsed: true } as Given, headers: {} }, { secrets: 's3cret' }),
    ],
    [
      'createEmulator: option "webhooks[0].access_token" cannot be sent in a header: it has a line break or a character that is not of Latin-1.',
      () => createEmulator({ webhooks: [{ url: 'http://127.0.0.1:1', access_token: '秘密' }] }),
    ],
    [
      'createWebhookSink: option "token" cannot be sent in a header',
      () => createWebhookSink({ token: 'of two lines\n' }),
    ],
    [
      'trigger: option "metadata" is an object; expected a plain object, such as { name: value }.',
      () => emulator.trigger('CREATE_ARTIFACT', { metadata: new Map([['a', 1]]) as Given }),
    ],
    [
      'sink.answer: option "headers" is an object; expected a plain object, such as { name: value }.',
      () => createWebhookSink().answer({ headers: new Headers({ a: 'b' }) as Given }),
    ],
    [
      'sink.answer: option "headers.a b" cannot be sent: HTTP allows no such name, or no such value.',
      () => createWebhookSink().answer({ headers: { a: 'b', 'a b': 'c' } }),
    ],
    [
      'sink.answer: option "body" is a function; expected a text, or a value that JSON can write.',
      () => createWebhookSink().answer({ body: () => 'no' }),
    ],
    [
      'sink.answer: option "body" is an object; expected a text, or a value that JSON can write.',
      () => createWebhookSink().answer({ body: { count: 1n } }),
    ],
    [
      'expressHandler: host is "inferense"; expected "training" or "inference". Did you mean "inference"?',
      () => expressHandler(emulator, 'inferense' as Given),
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
