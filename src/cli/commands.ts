import type { Argv, CommandModule, Options, PositionalOptions } from 'yargs'
import { builtInScenarios } from '../service/scenario/built-in-scenarios.js'
import { namesFile } from '../service/scenario/extend-scenario.js'
import { didYouMean } from '../base/text/nearest.js'
import { eventTypes } from '../webhooks/sending/trigger.js'
import { mapping } from './run/exec-environment.js'
import { topicNames } from '../emulator/adapters/docs-pages.js'
import { editorNames } from './editor-names.js'
import type { Call, CommandInfo, Context, Run } from './context.js'
import { optionsIn, refuseUnknownVariables } from './environment.js'
import { receiverUrl } from './receiver-port.js'
import {
  argument,
  commaOption,
  flag,
  listOption,
  option,
  optionalOption,
  requiredArgument,
  type ValuesOf,
} from './options/declare.js'
import { contractOption, DEFAULT_PORT, DEFAULT_SINK_PORT, serveOptions } from './options/serve.js'
import { header, signatureForm } from './options/signature.js'
import { json } from './options/output.js'
import { settingsFrom } from './options/settings.js'
import { REPORT_FILE } from './report-file.js'
import {
  anyText,
  count,
  duration,
  limit,
  oneOf,
  port,
  readValue,
  seed,
  token,
  webUrl,
} from './values.js'

interface Command<A> extends Omit<CommandInfo, 'required'> {
  /** The arguments after the name, as yargs writes them: `<file>`, `[file]`. */
  args?: string
  describe: string
  /** Lines that a user could type, without the name of the program, each with what it does. */
  examples?: readonly (readonly [line: string, effect: string])[]
  /** When the exit code is not 0, if that is worth knowing. */
  exits?: string
  builder: (parser: Argv) => Argv<A>
  /** Loads the code that does the work. The other commands start without it. */
  load: () => Promise<Run<A>>
}

const secret = option('secret', anyText('a secret'), {
  describe: 'Secret that signs the deliveries',
})

const secrets = listOption('secret', anyText('a secret'), {
  describe: 'Secret that may have signed the deliveries',
})

const accessToken = option('token', anyText('an access token'), {
  describe: 'Access token, sent as Authorization: Bearer …',
})

/** Receivers of a command that the emulator runs. */
const receivers = listOption('webhook', receiverUrl, {
  group: serveOptions.webhook.group,
  describe: `${serveOptions.webhook.describe}. {port} is a free port, which SVTRAIN_WEBHOOK_PORT names`,
})

/** Variables of a command that the emulator runs. */
const variables = listOption('env', mapping, {
  describe:
    'Set a variable of the command, such as OPENAI_API_KEY={key}. Placeholders: ' +
    '{training}, {inference}, {control}, {key}, {sink}, {port}',
})

/** The options of the emulator that each run of `explore` has. */
const exploredOptions = {
  seed: {
    ...serveOptions.seed,
    describe: 'Seed of the drawn faults, and of each run',
    defaultDescription: '1',
  },
  clock: { ...serveOptions.clock, defaultDescription: 'instant' },
  'serve-any-model': serveOptions['serve-any-model'],
  contract: serveOptions.contract,
  'api-key': serveOptions['api-key'],
  'data-root': serveOptions['data-root'],
  webhook: receivers,
  'webhook-secret': {
    ...serveOptions['webhook-secret'],
    defaultDescription: 'derived from the seed; SVTRAIN_WEBHOOK_SECRET has it',
  },
  sink: serveOptions.sink,
} as const

/** How a command finds a running emulator. */
const runningOptions = {
  emulator: {
    ...option('emulator', webUrl, {
      describe: 'Running emulator: any URL of its training API',
      defaultDescription: `SVTRAIN_CONTROL_URL, or http://127.0.0.1:${DEFAULT_PORT}`,
    }),
    // The older name.
    alias: 'url',
  },
  token: option('token', token, {
    describe: 'Token for calls that change something',
    defaultDescription: 'SVTRAIN_CONTROL_TOKEN',
  }),
  world: option('world', anyText('a key or a name'), {
    describe: 'World of --isolate: its API key, or its name, such as world-1',
  }),
} as const

const junit = option('junit', anyText('a file'), { describe: 'Write a report in JUnit XML' })

const withoutContents = flag({
  describe:
    'Leave prompts, messages, completions and trajectories out of the page and the HAR file',
})

/** Adds all commands to the program. */
export function addCommands(program: Argv, context: Context, call: Call): void {
  const { completing, environment } = context

  function command<A>(declared: Command<A>): CommandModule {
    const { args = '', describe, builder, load, examples = [], exits, ...info } = declared
    const required = /^<(\w+)/.exec(args)?.[1]
    return {
      command: `${info.name.split(' ').at(-1)} ${args}`.trim(),
      describe,
      builder(parser) {
        call.command = required === undefined ? info : { ...info, required }
        for (const [line, effect] of examples) parser.example(`$0 ${line}`, effect)
        if (exits !== undefined) parser.epilogue(`Exit code: ${exits}.`)
        return builder(parser)
      },
      async handler(parsed) {
        const run = await load()
        call.code = await run(parsed as A, context)
      },
    }
  }

  function group(name: string, describe: string, modules: readonly CommandModule[]): CommandModule {
    const names = modules.map(nameOf)
    const known = `There are: ${names.join(', ')}.`
    return {
      command: name,
      describe,
      builder(parser) {
        call.command = {
          name,
          unexpected(written) {
            const hint = didYouMean(written, names, (each) => `${name} ${each}`)
            return `Unknown command "${name} ${written}".${hint || ` ${known}`}`
          },
        }
        parser.usage(`$0 ${name} <command>\n\n${describe}`)
        for (const module of modules) parser.command(module)
        return parser.demandCommand(1, `${name} takes a command. ${known}`)
      },
      handler() {},
    }
  }

  /** Only suggests the names, because the scenario can be a file: yargs refuses other values than choices. */
  function suggestScenarios<T>(parser: Argv<T>): Argv<T> {
    if (!completing) return parser
    return parser.choices({ scenario: builtInScenarios.map(({ name }) => name) }) as Argv<T>
  }

  /** Only suggests the names, because the folder of the pages is read when a command runs. */
  function suggestTopics<T>(parser: Argv<T>): Argv<T> {
    if (!completing) return parser
    return parser.choices({ topic: topicNames() }) as Argv<T>
  }

  function scenarioArgument(parser: Argv, name: string) {
    const help = 'A built-in scenario (see `scenarios list`), or a scenario file'
    const declared = requiredArgument(name, anyText('a name or a file'), help)
    return suggestScenarios(parser.positional('scenario', declared))
  }

  function withServeOptions(parser: Argv, { webhook }: Partial<typeof serveOptions> = {}) {
    return suggestScenarios(parser.options({ ...serveOptions, ...(webhook && { webhook }) }))
      .config(optionsIn(environment))
      .check(() => {
        refuseUnknownVariables(environment)
        return true
      }, false)
  }

  const sinkReplay = command({
    name: 'sink replay',
    args: '<file>',
    takes: 'a file',
    describe: 'Send recorded deliveries again',
    examples: [
      [
        'sink replay deliveries.ndjson --to http://127.0.0.1:8080/hooks',
        'all deliveries, as they were received',
      ],
      [
        'sink replay deliveries.ndjson --to http://127.0.0.1:8080/hooks --filter event=RUN_STATE --resign s3cret',
        'some of them, with new signatures',
      ],
    ],
    exits: '1 if a delivery is not acknowledged with 2xx, 2 if a line cannot be read',
    builder: (parser) =>
      fileArgument(
        parser,
        requiredArgument('sink replay', anyText('a file'), 'The file that --out wrote; - is stdin'),
      ).options({
        to: option('to', webUrl, { describe: 'URL of the receiver' }),
        filter: listOption('filter', anyText('a filter such as event=RUN_STATE'), {
          describe:
            'Send only these: event=, verdict=, record=3-7, delivery=, path=, after=, before=',
        }),
        resign: option('resign', anyText('a secret'), {
          describe: 'Sign again with this secret, and with the time of now',
          defaultDescription: 'the recorded signatures',
        }),
        token: option('token', anyText('an access token'), {
          describe: 'Access token to send, because files have none',
        }),
        header,
        ...signatureForm,
        within: option('within', duration, {
          describe: 'Longest time to wait for an answer',
          defaultDescription: '10s',
        }),
        json,
      }),
    load: async () => (await import('./run/sink-replay.js')).sinkReplay,
  })

  function withEmulatorOptions(parser: Argv) {
    const found = Object.entries(optionsIn(environment))
    const own = found.filter(([name]) => Object.hasOwn(exploredOptions, name))
    return parser
      .options(exploredOptions)
      .config(Object.fromEntries(own))
      .check(() => {
        refuseUnknownVariables(environment)
        return true
      }, false)
  }

  const modules = [
    command({
      name: 'play',
      args: '<scenario>',
      takes: 'a name or a file',
      describe: 'Run a scenario in virtual time and print what happens',
      examples: [
        ['play failing-job', 'print what a client sees'],
        ['play ./mine.yaml --seed 7', 'your scenario, with other random draws'],
      ],
      builder: (parser) =>
        scenarioArgument(parser, 'play').options({
          json,
          ...inNoGroup('seed'),
        }),
      load: async () => (await import('./run/play.js')).play,
    }),
    command({
      name: 'exec',
      takesRest: true,
      unexpected: (first) =>
        `Unexpected argument "${first}". The command follows two dashes: -- ${first}`,
      describe: 'Run a command with its own emulator',
      examples: [
        ['exec --scenario flaky-gateway -- pytest -x', 'run tests against an emulator'],
        [
          'exec --env OPENAI_API_KEY={key} --env OPENAI_BASE_URL={inference} -- npm test',
          'set the variables that your client reads',
        ],
      ],
      exits:
        'that of the command; 126 or 127 if the command cannot be started; 124 after --timeout; 1 if --checks finds a mistake',
      builder: (parser) =>
        withServeOptions(parser, { webhook: receivers })
          .usage('$0 exec [options] -- <command>\n\nRun a command with its own emulator')
          .options({
            env: variables,
            checks: flag({
              describe: 'Exit with 1 if the client checks find a mistake of the command',
            }),
            timeout: option('timeout', limit, {
              describe: 'Longest time that the command may run; then it is stopped',
              defaultDescription: 'none',
            }),
            trace: option('trace', anyText('a file'), {
              describe: 'If the command fails, write the whole trace to this file',
              defaultDescription: 'its end goes to stderr',
            }),
            coverage: optionalOption('coverage', anyText('a file'), {
              describe:
                'Print which behaviors of the service the command met; with =coverage.json, also write the report',
            }),
            report: option('report', anyText('a file'), {
              describe:
                'Write what happened to this file as an HTML page, also if the command passes',
            }),
            har: option('har', anyText('a file'), {
              describe: 'Write the requests to this file as HAR, also if the command passes',
            }),
            'without-contents': withoutContents,
            junit,
          }),
      load: async () => (await import('./run/exec.js')).exec,
    }),
    command({
      name: 'explore',
      takesRest: true,
      unexpected: (first) =>
        `Unexpected argument "${first}". The command follows two dashes: -- ${first}`,
      describe: 'Find the failures that a command does not survive',
      examples: [
        ['explore -- node loop.mjs', 'find out what your training loop does not survive'],
        ['explore --runs 200 --junit explore.xml -- pytest -x', 'in CI'],
        ['explore --only chat-hangs,rate-limited -- npm test', 'try only these scenarios'],
      ],
      exits:
        '1 if a run fails; 2 if the command fails without any fault, or cannot be started; 130 after Ctrl-C',
      builder: (parser) =>
        withEmulatorOptions(parser)
          .usage(
            '$0 explore [options] -- <command>\n\nFind the failures that a command does not survive',
          )
          .options({
            runs: option('runs', count(100_000), {
              describe: 'Number of runs; those that shrink a failure come on top',
              defaultDescription: '50',
            }),
            time: option('time', limit, {
              describe: 'Longest time for all runs, and for shrinking what fails',
              defaultDescription: '10m',
            }),
            timeout: option('timeout', limit, {
              describe: 'Longest time of one run; a command that takes longer hangs',
              defaultDescription: '30s',
            }),
            parallel: option('parallel', count(256), {
              describe: 'Number of runs at the same time',
              defaultDescription: 'the number of processors, at most 8',
            }),
            scenario: listOption('scenario', anyText('a file'), {
              describe: 'Also try this scenario file',
            }),
            only: commaOption('only', anyText('names of scenarios'), {
              describe:
                'Try only these scenarios, separated by commas; faults stands for drawn faults',
            }),
            skip: commaOption('skip', anyText('names of scenarios'), {
              describe:
                'Leave out these scenarios, separated by commas; faults stands for drawn faults',
            }),
            to: option('to', anyText('a folder'), {
              describe: 'Folder for the smallest scenarios and for what the command printed',
              defaultDescription: 'explore-report, if something fails',
            }),
            junit,
            report: option('report', anyText('a file'), {
              describe: 'Write a report as one HTML page',
            }),
            json: flag({ describe: 'Print the report as JSON, and nothing else' }),
            verbose: flag({ describe: 'List also the runs that passed' }),
            env: variables,
          }),
      load: async () => (await import('./run/explore.js')).explore,
    }),
    command({
      name: 'mcp',
      describe: 'Serve MCP on stdin and stdout, for coding assistants',
      examples: [
        ['mcp', 'what an assistant starts: a server with its own emulator'],
        ['mcp --scenario failing-job --seed 7', 'its emulator starts with a scenario'],
        ['mcp --emulator http://127.0.0.1:4600', 'the tools act on a running emulator'],
      ],
      exits: '0 when stdin ends, or at Ctrl-C; 1 if no emulator answers at --emulator',
      builder: (parser) =>
        withServeOptions(parser)
          .usage('$0 mcp [options]\n\nServe MCP on stdin and stdout, for coding assistants')
          .options({
            ...runningOptions,
            emulator: {
              ...runningOptions.emulator,
              defaultDescription: 'its own emulator on free ports, with the clock instant',
            },
          }),
      load: async () => (await import('./run/mcp.js')).mcp,
    }),
    command({
      name: 'coverage',
      args: '<files..>',
      takes: 'one or more files or folders',
      describe: 'Add up reports of coverage, and print which behaviors were met',
      examples: [
        ['coverage shard-1.json shard-2.json', 'add up the reports of two machines'],
        ['coverage coverage.json --gaps', 'print each gap, and what closes it'],
      ],
      exits: '2 if a file is not a report, or if there is none',
      builder: (parser) =>
        filesArgument(parser, 'coverage', {
          takes: 'one or more files or folders',
          describe: 'The reports, or folders of SVTRAIN_COVERAGE',
        }).options({
          gaps: flag({ describe: 'Print each gap, and what closes it' }),
          json,
        }),
      load: async () => (await import('./run/coverage.js')).coverage,
    }),
    command({
      name: 'trace',
      describe: 'Print what happened in a running emulator',
      examples: [
        ['trace', 'requests, and what each of them caused'],
        ['trace --json', 'the same for programs, with the ids of causes'],
      ],
      exits: '1 if no emulator answers, or if it refuses the call',
      builder: (parser) =>
        parser.options({
          ...runningOptions,
          job: option('job', anyText('the id of a job'), {
            describe: 'Print only what caused this job, and what it caused',
          }),
          json,
        }),
      load: async () => (await import('./run/trace.js')).trace,
    }),
    command({
      name: 'report',
      describe: 'Write what happened in a running emulator to a file',
      examples: [
        ['report --to report.html', 'a page to share, without keys and secrets'],
        ['report --har requests.har', 'the requests, for browsers and HTTP tools'],
      ],
      exits: '1 if no emulator answers, or if a file cannot be written',
      builder: (parser) =>
        parser.options({
          ...runningOptions,
          to: option('to', anyText('a file'), {
            describe: 'Write the page to this file',
            defaultDescription: `${REPORT_FILE}, unless --har is set`,
          }),
          har: option('har', anyText('a file'), {
            describe: 'Write the requests to this file as HAR',
          }),
          'without-contents': withoutContents,
        }),
      load: async () => (await import('./run/report.js')).report,
    }),
    command({
      name: 'sink',
      unexpected: (first) =>
        `Unexpected argument "${first}".${didYouMean(first, ['replay'], (name) => `sink ${name}`)} sink takes none.`,
      describe: 'Receive webhooks, verify and record them',
      examples: [
        ['sink --secret s3cret', 'verify and print each delivery'],
        [
          'sink --out deliveries.jsonl --forward-to http://127.0.0.1:8080/hooks',
          'record deliveries and pass them on',
        ],
      ],
      builder: (parser) =>
        parser.command(sinkReplay).options(
          ofCommandAlone({
            port: option('port', port, {
              describe: 'Port to receive on, at any path; 0 picks a free port',
              defaultDescription: `${DEFAULT_SINK_PORT}, or the next free port`,
            }),
            ...inNoGroup('host', 'allow-host'),
            secret: secrets,
            token: accessToken,
            header,
            ...signatureForm,
            strict: flag({ describe: 'Refuse deliveries with any error' }),
            out: option('out', anyText('a file'), {
              describe: 'Append each delivery to this file, as a line of JSON, before answering',
            }),
            fsync: flag({ describe: 'Write to the disk before answering: survives a power cut' }),
            'forward-to': option('forward-to', webUrl, {
              describe: 'Forward each delivery to this URL, and answer with the response',
            }),
            ...inNoGroup('ready-file', 'log'),
          }),
        ),
      load: async () => (await import('./run/sink.js')).sink,
    }),
    command({
      name: 'record',
      describe: 'Record what a client and the real service exchange',
      examples: [
        [
          'record --to recording --training-url https://api.example.com/v1',
          'pass calls on, and record them',
        ],
      ],
      exits: '0 at Ctrl-C; 1 if the recording is incomplete, or cannot begin',
      builder: (parser) =>
        parser.options({
          to: option('to', anyText('a folder'), {
            describe: 'Folder to record into; it is created',
          }),
          'training-url': option('training-url', webUrl, {
            describe: 'Base URL of the training API of the service',
          }),
          'inference-url': option('inference-url', webUrl, {
            describe: 'Base URL of the inference API of the service',
            defaultDescription: 'that of the training API',
          }),
          ...inNoGroup('port', 'inference-port', 'allow-host', 'cors'),
          contents: flag({
            describe: 'Record the contents of messages, too; keys are never recorded',
          }),
          ...inNoGroup('ready-file', 'log'),
        }),
      load: async () => (await import('./run/record.js')).record,
    }),
    command({
      name: 'sign',
      args: '[file]',
      takes: 'a file',
      describe: 'Print the signature of a file, or of stdin',
      examples: [
        ['sign payload.json --secret s3cret', 'print the signature'],
        [
          'sign payload.json --secret s3cret --prefix sha256=',
          'with the prefix that your receiver expects',
        ],
      ],
      builder: (parser) =>
        fileArgument(
          parser,
          argument('sign', anyText('a file'), 'The file; default: stdin'),
        ).options({ secret, ...signatureForm }),
      load: async () => (await import('./run/sign.js')).sign,
    }),
    command({
      name: 'verify',
      args: '[file]',
      takes: 'a file',
      describe: 'Check a signature, and explain what is wrong with it',
      examples: [['verify payload.json --secret s3cret --signature 5d5c…', 'check a signature']],
      exits: '0 if the signature is valid, otherwise 1',
      builder: (parser) =>
        fileArgument(
          parser,
          argument('verify', anyText('a file'), 'The body of the delivery; default: stdin'),
        ).options({
          secret: secrets,
          signature: option('signature', anyText('what the signature header holds'), {
            describe: 'Value of the signature header',
          }),
          token: accessToken,
          ...signatureForm,
          json,
        }),
      load: async () => (await import('./run/verify.js')).verify,
    }),
    command({
      name: 'check-receiver',
      args: '<url>',
      takes: 'a URL',
      describe: 'Test your receiver with correct and incorrect deliveries',
      examples: [
        [
          'check-receiver http://127.0.0.1:8080/hooks --secret s3cret',
          'send good and bad deliveries',
        ],
        [
          'check-receiver http://127.0.0.1:8080/hooks --secret whsec_c2VjcmV0 --standard --count-url http://127.0.0.1:8080/count',
          'check also that it acts once for each event',
        ],
      ],
      exits: '0 if every check passes, otherwise 1',
      builder: (parser) =>
        parser
          .positional('url', requiredArgument('check-receiver', webUrl, 'The URL of your receiver'))
          .options({
            secret,
            token: accessToken,
            header,
            ...signatureForm,
            standard: flag({
              describe: 'Sign as Standard Webhooks does, with a timestamp; the secret is whsec_…',
            }),
            payload: option('payload', anyText('a file'), {
              describe: 'File with the JSON object to send',
              defaultDescription: 'an alias named svtrain-test was added',
            }),
            within: option('within', duration, {
              describe: 'Longest time to wait for an answer',
              defaultDescription: '10s',
            }),
            'count-url': option('count-url', webUrl, {
              describe: 'URL that answers with how often your receiver acted, when no work is left',
            }),
            emulator: option('emulator', webUrl, {
              describe: 'URL of the running emulator that your receiver reads; needs --count-url',
            }),
            model: option('model', anyText('the name of a model'), {
              describe: 'Model on which jobs run in the emulator; needs --emulator',
              defaultDescription: 'svtrain-test',
            }),
            junit,
            json,
          }),
      load: async () => (await import('./run/check-receiver.js')).checkReceiver,
    }),
    command({
      name: 'openapi',
      describe: 'Print the OpenAPI document of the training API',
      examples: [
        ['openapi', 'the training API'],
        ['openapi --inference', 'the inference API'],
        ['openapi --contract 2026-01', 'an older contract of the training API'],
      ],
      builder: (parser) =>
        parser.options({
          inference: flag({ describe: 'Print the document of the inference API' }),
          contract: contractOption({ describe: 'Version of the contract of the service' }),
        }),
      load: async () => (await import('./run/openapi.js')).openapi,
    }),
    command({
      name: 'drift',
      args: '[document]',
      takes: 'a file or a URL',
      describe: 'Compare the service with what the emulator serves',
      examples: [
        ['drift openapi.json', 'differences, and who would notice them'],
        ['drift openapi.json --allow drift.yaml', 'only those that you have not accepted'],
      ],
      exits: '1 if there is a difference that is not allowed, 2 if something cannot be read',
      builder: (parser) =>
        parser
          .positional(
            'document',
            argument(
              'drift',
              anyText('a file or a URL'),
              'The OpenAPI document of the service: a JSON or YAML file, or a URL',
            ),
          )
          .options({
            allow: option('allow', anyText('a file'), {
              describe: 'YAML or JSON file that lists the accepted differences',
            }),
            'update-allow': flag({
              describe: 'Write all differences into the file of --allow, and remove stale entries',
            }),
            recording: option('recording', anyText('a folder'), {
              describe: 'Check the answers in this recording as well',
            }),
            inference: flag({
              describe: 'Compare the inference API',
              defaultDescription: 'the API with more operations in common',
            }),
            contract: contractOption({
              describe: 'Version of the contract of the emulator to compare with',
            }),
            all: flag({ describe: 'Show descriptions, titles and other words as well' }),
            junit,
            json,
          }),
      load: async () => (await import('./run/drift.js')).drift,
    }),
    group('scenarios', 'List, show, check and write scenarios', [
      command({
        name: 'scenarios list',
        describe: 'List the built-in scenarios',
        examples: [['scenarios list', 'names and descriptions']],
        builder: (parser) => parser.options({ json }),
        load: async () => (await import('./run/scenarios-list.js')).scenariosList,
      }),
      command({
        name: 'scenarios show',
        args: '<scenario>',
        takes: 'a name or a file',
        describe: 'Print a scenario as YAML',
        examples: [['scenarios show failing-job', 'what it consists of']],
        builder: (parser) => scenarioArgument(parser, 'scenarios show'),
        load: async () => (await import('./run/scenarios-show.js')).scenariosShow,
      }),
      command({
        name: 'scenarios check',
        args: '<files..>',
        takes: 'one or more files',
        describe: 'Report the errors in scenario files',
        examples: [
          ['scenarios check mine.yaml other.yaml', 'name every mistake in both files'],
          ['scenarios check scenarios --watch', 'check all files in a folder after each change'],
        ],
        exits: '0 if all files are fine, otherwise 2; with --watch 0, after Ctrl-C',
        builder: (parser) =>
          filesArgument(parser, 'scenarios check', {
            takes: 'one or more files',
            describe: 'The scenario files: files, folders of YAML files, or globs',
          }).options({
            watch: flag({ describe: 'Check again when a file changes, until Ctrl-C' }),
            junit,
          }),
        load: async () => (await import('./run/scenarios-check.js')).scenariosCheck,
      }),
      command({
        name: 'scenarios new',
        args: '<name>',
        takes: 'a name',
        describe: 'Write a scenario file to start from',
        examples: [['scenarios new my-scenario', 'write my-scenario.yaml']],
        builder: (parser) =>
          parser.positional(
            'name',
            requiredArgument('scenarios new', anyText('a name'), 'Its name'),
          ),
        load: async () => (await import('./run/scenarios-new.js')).scenariosNew,
      }),
      command({
        name: 'scenarios from',
        args: '<recording>',
        takes: 'a recording, a HAR file, a report, or the events of a job',
        describe: 'Write the scenario that a recording shows',
        examples: [
          ['scenarios from incident --to incident.yaml', 'what `record --to incident` has seen'],
          [
            'scenarios from svtrain-report.html --to ci.yaml',
            'what the report of a run in CI shows',
          ],
          ['scenarios from events.json', 'the timeline of one job'],
        ],
        exits:
          '1 if the recording does not show how a job ended, except with --partial; 2 if the file is something else, or has nothing to make a scenario from',
        builder: (parser) =>
          parser
            .positional(
              'recording',
              requiredArgument(
                'scenarios from',
                anyText('a recording, a HAR file, a report, or the events of a job'),
                'The folder of a recording, its recording.ndjson, a HAR file, a report, or the events of a job as JSON',
              ),
            )
            .options({
              name: option('name', anyText('a name'), {
                describe: 'Name of the scenario',
                defaultDescription: 'that of the file or the folder',
              }),
              to: option('to', anyText('a file'), {
                describe: 'Write to this file',
                defaultDescription: 'stdout',
              }),
              partial: flag({
                describe: 'Write the scenario even if nothing shows how a job ended',
              }),
              world: option('world', anyText('the name of a world'), {
                describe: 'Which world of a HAR file or a report, if it has several',
              }),
              force: flag({ describe: 'Replace the file if it exists' }),
            }),
        load: async () => (await import('./run/scenarios-from.js')).scenariosFrom,
      }),
      command({
        name: 'scenarios schema',
        describe: 'Print the JSON Schema of scenario files, or the settings of an editor',
        examples: [
          ['scenarios schema > scenario.schema.json', 'save it for your editor'],
          ['scenarios schema --settings vscode --write', 'write .vscode/settings.json'],
        ],
        exits: '2 if the file of the settings exists already',
        builder: (parser) =>
          parser.options({
            settings: option('settings', oneOf(editorNames), {
              describe: 'Print the settings with which this editor completes scenario files',
            }),
            files: listOption('files', anyText('a glob'), {
              describe: 'Globs of the scenario files, for the settings',
              defaultDescription: 'scenarios/*.yaml and *.scenario.yaml',
            }),
            write: flag({ describe: 'Write the settings into a new file of this folder' }),
          }),
        load: async () => (await import('./run/scenarios-schema.js')).scenariosSchema,
      }),
    ]),
    group('snapshot', 'Export, import and show snapshots', [
      command({
        name: 'snapshot export',
        args: '<file>',
        takes: 'a file, or - for stdout',
        describe: 'Write the state of a running emulator to a file',
        examples: [
          ['snapshot export state.json', 'save what has happened so far'],
          ['snapshot export - --without-secrets', 'print it, without keys and secrets'],
        ],
        exits: '1 if no emulator answers, or if it refuses the call',
        builder: (parser) =>
          fileArgument(
            parser,
            requiredArgument(
              'snapshot export',
              anyText('a file, or - for stdout'),
              'The file to write; - is stdout',
            ),
          ).options({
            ...runningOptions,
            'without-secrets': flag({ describe: 'Leave out API keys, secrets and deliveries' }),
          }),
        load: async () => (await import('./run/snapshot-export.js')).snapshotExport,
      }),
      command({
        name: 'snapshot import',
        args: '<file>',
        takes: 'a file, or - for stdin',
        describe: 'Replace the state of a running emulator with a snapshot',
        examples: [['snapshot import state.json', 'continue from a saved state']],
        exits: '1 if no emulator answers, or if it refuses the call',
        builder: (parser) =>
          fileArgument(
            parser,
            requiredArgument(
              'snapshot import',
              anyText('a file, or - for stdin'),
              'The snapshot; - is stdin',
            ),
          ).options(runningOptions),
        load: async () => (await import('./run/snapshot-import.js')).snapshotImport,
      }),
      command({
        name: 'snapshot show',
        args: '<file>',
        takes: 'a file, or - for stdin',
        describe: 'Print what a snapshot contains',
        examples: [['snapshot show state.json', 'models, jobs and the time']],
        builder: (parser) =>
          fileArgument(
            parser,
            requiredArgument(
              'snapshot show',
              anyText('a file, or - for stdin'),
              'The snapshot; - is stdin',
            ),
          ).options({ json }),
        load: async () => (await import('./run/snapshot-show.js')).snapshotShow,
      }),
    ]),
    command({
      name: 'trigger',
      args: '<event>',
      takes: 'an event',
      describe: 'Send an event to a webhook receiver',
      examples: [
        [
          'trigger ADD_ARTIFACT_ALIAS --url http://127.0.0.1:8080/hooks --alias production',
          'send one event to a receiver',
        ],
        [
          'trigger RUN_STATE --emulator http://127.0.0.1:4600 --state failed',
          'let it happen in a running emulator',
        ],
      ],
      exits: '1 if the delivery fails, or if no automation matches the event',
      builder: (parser) =>
        parser
          .positional('event', {
            ...requiredArgument('trigger', oneOf(eventTypes), 'The event, in upper or lower case'),
            coerce: (event: string) => readValue('trigger', oneOf(eventTypes), event.toUpperCase()),
          })
          .options({
            url: option('url', webUrl, { describe: 'URL to send the event to' }),
            emulator: option('emulator', webUrl, {
              describe: 'Running emulator in which the event happens, instead of --url',
            }),
            to: option('to', anyText('a name'), {
              describe: 'Webhook that gets the event, with --emulator',
            }),
            secret: option('secret', anyText('a secret'), {
              describe: 'Secret that signs the delivery',
              defaultDescription: 'derived from the seed, and printed',
            }),
            ...inNoGroup('seed'),
            entity: option('entity', anyText('a name'), { describe: 'Entity of the event' }),
            project: option('project', anyText('a name'), { describe: 'Project of the event' }),
            registry: option('registry', anyText('a name'), {
              describe: 'Registry the event belongs to (optional)',
            }),
            collection: option('collection', anyText('a name'), {
              describe: 'Collection of the artifact',
            }),
            'artifact-version': option('artifact-version', seed, {
              describe: 'Version of the artifact',
            }),
            alias: option('alias', anyText('an alias'), { describe: 'Alias that was added' }),
            tag: option('tag', anyText('a tag'), { describe: 'Tag that was added' }),
            author: option('author', anyText('a user'), { describe: 'User who caused the event' }),
            run: option('run', anyText('a name'), { describe: 'Name of the run' }),
            state: option('state', oneOf(['running', 'finished', 'failed']), {
              describe: 'State of the run',
            }),
          })
          .conflicts('emulator', ['url', 'secret', 'seed']),
      load: async () => (await import('./run/trigger.js')).trigger,
    }),
    command({
      name: 'docs',
      args: '[topic]',
      takes: 'a topic',
      describe: 'Print a page of the documentation',
      examples: [
        ['docs', 'list the topics'],
        ['docs testing', 'print a page as Markdown'],
        ['docs reference/scenario', 'print a page of the reference'],
        ['docs idempotent', 'print the part of a page with this word in its heading'],
        ['docs --search "signature secret"', 'find the sections with these words'],
      ],
      exits: '1 if a search finds nothing',
      builder: (parser) =>
        suggestTopics(
          parser
            .positional('topic', {
              ...argument('docs', anyText('a topic'), 'The name of the page'),
              defaultDescription: 'the list of topics',
            })
            .options({
              search: option('search', anyText('words'), {
                describe: 'Find the sections with all of these words, in all pages or in one',
              }),
            }),
        ),
      load: async () => (await import('./run/docs.js')).docs,
    }),
    command({
      name: 'skill',
      describe: 'Install the skill for coding assistants',
      examples: [
        ['skill', 'print where it is'],
        ['skill --to .agents/skills', 'copy it to the skills of a project'],
      ],
      exits:
        '1 if it cannot be written, 2 if the folder has another version and --force is missing',
      builder: (parser) =>
        parser.options({
          to: option('to', anyText('a folder'), {
            describe: 'Copy the skill to this folder, such as .agents/skills',
          }),
          force: flag({ describe: 'Replace files of the skill that differ' }),
        }),
      load: async () => (await import('./run/skill.js')).skill,
    }),
    command({
      name: 'completion',
      args: '[shell]',
      takes: 'a shell',
      describe: 'Print the completion script of your shell',
      examples: [['completion bash > completion.bash', 'save the script; source it in ~/.bashrc']],
      builder: (parser) =>
        parser.positional('shell', {
          ...argument('completion', oneOf(['bash', 'zsh']), 'The shell that runs the script'),
          defaultDescription: 'from SHELL',
        }),
      load: async () => (await import('./run/completion.js')).completion,
    }),
  ]
  const serve: CommandModule<object, ValuesOf<typeof serveOptions>> = {
    command: '$0',
    describe: false,
    builder(parser) {
      call.command = { name: '', unexpected: unexpectedFor(modules.map(nameOf)) }
      return withServeOptions(parser)
    },
    handler: (parsed) => context.serve(settingsFrom(parsed)),
  }
  // yargs completes the options of the program, but not those of a default command.
  if (completing) suggestScenarios(program.options(ofCommandAlone(serveOptions)))
  else program.command(serve)
  for (const module of modules) program.command(module)
}

/** Adds an argument for a file, where `-` means stdin or stdout. */
function filesArgument(
  parser: Argv,
  command: string,
  { takes, describe }: { takes: string; describe: string },
) {
  return parser.positional('files', {
    describe,
    type: 'string',
    takes,
    demandOption: true,
    coerce: (files: string[]) => {
      return files.map((each) => readValue(command, anyText(takes), each))
    },
  })
}

function fileArgument<O extends PositionalOptions>(parser: Argv, declared: O) {
  // Without `nargs`, yargs reads `-` as an option.
  return parser.positional('file', declared).nargs('file', 1)
}

/** Options of the start for a command whose help has no groups. */
function inNoGroup<const N extends keyof typeof serveOptions>(
  ...names: readonly N[]
): Pick<typeof serveOptions, N> {
  return Object.fromEntries(
    names.map((name) => [name, { ...serveOptions[name], group: undefined }]),
  ) as Pick<typeof serveOptions, N>
}

/** Options that the commands below do not inherit. */
function ofCommandAlone<T extends Readonly<Record<string, Options>>>(options: T): T {
  return Object.fromEntries(
    Object.entries(options).map(([name, each]) => [name, { ...each, global: false }]),
  ) as T
}

/** Explains an argument without a command: it may be a misspelled command, or a scenario. */
function unexpectedFor(commandNames: readonly string[]): NonNullable<CommandInfo['unexpected']> {
  return (first, options) => {
    // It may be a second key, which must not be printed.
    if (options['api-key'] !== undefined) {
      return 'Unexpected argument. Give several keys as --api-key one --api-key two.'
    }
    const isAlone = Object.keys(serveOptions).every((name) => options[name] === undefined)
    const scenarios = namesFile(first) ? [first] : builtInScenarios.map(({ name }) => name)
    const hint =
      (options.scenario === undefined &&
        didYouMean(first, scenarios, (scenario) => `--scenario ${scenario}`)) ||
      (isAlone && didYouMean(first, commandNames, (name) => name)) ||
      ''
    return `Unexpected argument "${first}".${hint}`
  }
}

function nameOf({ command }: CommandModule): string {
  return String(command).split(' ')[0]!
}
