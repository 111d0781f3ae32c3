/** A suite of tests, with the limits that all its tests have. */
export interface Suite {
  /** The script of package.json that runs it. */
  readonly script: string
  /** How long it takes on an idle machine with two processors and Chromium. */
  readonly seconds: number
  readonly include: readonly string[]
  /** How long a test, a hook and what a test waits for may take. A busy machine is not a failure. */
  readonly limit: number
  readonly globalSetup?: string
  /** How many tests of a file that allows it run side by side. */
  readonly maxConcurrency?: number
}

const HALF_A_MINUTE = 30_000

/** All suites but the first. No file is in two of them. */
const others = {
  /** In process as well, but longer: inputs of any kind, secrets in every output, replays, learning. */
  thorough: {
    script: 'test:thorough',
    seconds: 125,
    include: [
      'test/emulator/adapters/data-folder/{folder,round-trip,torn}.test.ts',
      'test/service/api/{chat-learner,valid-json}.test.ts',
      'test/emulator/control/{excess,strict-names,wrong-snapshots}.test.ts',
      'test/emulator/secrets-in-all-places.test.ts',
      'test/service/engine/chat/any-schema.test.ts',
      'test/tools/mcp/{hostile,story}.test.ts',
      'test/tools/recording/{polled-jobs,redaction,replay,scenario-from}.test.ts',
      'test/service/scenario/{careful-clients,careful-loops,hostile-scenarios}.test.ts',
    ],
    limit: HALF_A_MINUTE,
  },
  /** The dashboard and the report, in Chromium. */
  browser: {
    script: 'test:browser',
    seconds: 225,
    include: ['test/browser/**/*.test.ts'],
    limit: HALF_A_MINUTE,
  },
  /** Every example of the documentation, run as a user would. */
  examples: {
    script: 'test:examples',
    seconds: 125,
    include: [
      'test/completions.test.ts',
      'test/docs/{api,commands,examples,output,programs,receivers,troubleshooting}.test.ts',
    ],
    limit: HALF_A_MINUTE,
  },
  /** The command and other programs in processes of their own, and explorations. */
  commands: {
    script: 'test:commands',
    seconds: 185,
    include: [
      'test/emulator/adapters/data-folder/compaction.test.ts',
      'test/emulator/adapters/port-limits.test.ts',
      'test/cli/{background,completion,data,examples,exec,exec-intercept,junit,mcp,serve-intercept}.test.ts',
      'test/cli/{explore,explore-intercept,explore-loops,explore-output}.test.ts',
      'test/cli/{pseudo-terminal,ready-file,receiver-count,record,record-intercept,scenarios-watch,share}.test.ts',
      'test/cli/{signatures,sink,sink-beside,snapshot,terminal-width,watch,webhooks}.test.ts',
      'test/emulator/secrets.test.ts',
      'test/tools/explore/**/*.test.ts',
      'test/github-action/**/*.test.ts',
      'test/runners/**/*.test.ts',
    ],
    limit: HALF_A_MINUTE,
  },
  /** The packed package, in empty folders. */
  package: {
    script: 'test:package',
    seconds: 90,
    include: ['test/package/**/*.test.ts'],
    limit: HALF_A_MINUTE,
  },
  /** Answers beside the real framework, real clients, and the Python package. */
  conformance: {
    script: 'conformance',
    seconds: 310,
    include: ['test/interop/*.test.ts', 'test/interop/{hostile,matrix}/*.test.ts'],
    limit: 300_000,
    globalSetup: 'test/interop/setup.ts',
    maxConcurrency: 2,
  },
  /** Other releases of the framework, and requests that another tool invents. */
  framework: {
    script: 'conformance:framework',
    seconds: 70,
    include: ['test/interop/releases/*.test.ts'],
    limit: 300_000,
    globalSetup: 'test/interop/setup.ts',
  },
  /** Load with faults, kills, odd inputs, and hostile connections. */
  soak: {
    script: 'test:soak',
    seconds: 175,
    include: ['test/soak/{fuzz,hostile,soak}.test.ts'],
    limit: HALF_A_MINUTE,
  },
  /** Explorations of whole training loops. */
  loops: {
    script: 'test:loops',
    seconds: 320,
    include: ['test/soak/explore.test.ts'],
    limit: HALF_A_MINUTE,
  },
} as const satisfies Readonly<Record<string, Suite>>

/** The suites of tests. `npm test` runs the first one: all that no other suite has. */
export const suites: Readonly<Record<'quick' | keyof typeof others, Suite>> = {
  /** What the emulator does, in process, and the essential runs of the command. */
  quick: {
    script: 'test',
    seconds: 150,
    include: ['test/**/*.test.ts'],
    limit: HALF_A_MINUTE,
  },
  ...others,
}

/** What the first suite leaves out. */
export const ofOtherSuites: readonly string[] = Object.values<Suite>(others).flatMap(
  ({ include }) => include,
)

/**
 * What depends on Node. The gate runs it on each version, as one suite: Vitest would load all modules again for each
 * suite that has some of the files.
 */
export const ofNode = {
  include: [
    'test/base/clock/**/*.test.ts',
    'test/cli/{background,child,start,stop}.test.ts',
    'test/compose/runtime.test.ts',
    'test/emulator/adapters/*.test.ts',
    // Without five that compare what a world and its copy on disk hold, or count steps. The oldest Node runs them.
    'test/emulator/adapters/data-folder/!(every-change|every-mutation|linear-start|round-trip|torn).test.ts',
    'test/emulator/background.test.ts',
    'test/emulator/control/stream.test.ts',
    'test/runners/**/*.test.ts',
    'test/service/engine/chat/pattern.test.ts',
    'test/tools/mcp/start.test.ts',
    'test/tools/recording/proxy.test.ts',
    // Without those about the engine, what a receiver computes, and how much work a sink does.
    'test/webhooks/sending/!(automations|check-receiver|delivery-ids|payload|platform-events|receivers).test.ts',
    'test/webhooks/sink/!(growth).test.ts',
  ],
  limit: HALF_A_MINUTE,
} as const satisfies Pick<Suite, 'include' | 'limit'>
