import type { Plugin } from 'vitest/config'
import type { Reporter, TestSpecification, Vitest } from 'vitest/node'
import { suites } from '../suites.js'
import { has, type Program } from '../support/programs.js'

/**
 * Says what a run of Vitest does, before it starts. A plugin, because `--reporter` replaces the reporters
 * of the configuration.
 */
export function introduction(): Plugin {
  return {
    name: 'introduction',
    configureVitest({ vitest }) {
      const { update } = vitest.config as { update?: unknown }
      if (typeof update === 'string' && !['all', 'new', 'none'].includes(update)) {
        throw new Error(
          `-u took "${update}" as its value, so every test would run. Write: npx vitest run ${update} -u`,
        )
      }
      const { reporters } = vitest.config
      // Each suite has the plugin, because Vitest asks only those of the suites that run.
      if (!reporters.some((each) => each instanceof Introduction)) {
        reporters.push(new Introduction(vitest))
      }
    },
  }
}

/** Writes to stderr: a report may go to stdout. */
class Introduction implements Reporter {
  readonly #vitest: Vitest

  constructor(vitest: Vitest) {
    this.#vitest = vitest
  }

  async onTestRunStart(specifications: readonly TestSpecification[]): Promise<void> {
    if (!this.#describes()) return
    const names = new Set(specifications.map(({ project }) => project.name))
    const lines = await describeRun(specifications.length, names)
    process.stderr.write(`\n${lines.join('\n')}\n`)
  }

  #describes(): boolean {
    const { config, filenamePattern } = this.#vitest as Vitest & {
      readonly filenamePattern?: readonly string[]
    }
    const { watch, shard, changed, testNamePattern } = config
    return !filenamePattern && !watch && !shard && !changed && !testNamePattern
  }
}

type Skipped = [suite: keyof typeof suites, what: string, why: string | undefined]

/** The programs that tests need. */
export const needs: readonly {
  readonly suite: keyof typeof suites
  readonly what: string
  readonly program: Program
  readonly get: string
}[] = [
  {
    suite: 'commands',
    what: 'tests in a terminal',
    program: 'script',
    get: 'apt-get install bsdutils',
  },
  {
    suite: 'quick',
    what: 'signatures of OpenSSL',
    program: 'openssl',
    get: 'apt-get install openssl',
  },
]

/** The size of a run of whole suites, and what this machine leaves out. */
export async function describeRun(files: number, names: ReadonlySet<string>): Promise<string[]> {
  // Loaded for long runs only, because it loads the client of Chromium.
  const { noChromium } = await import('../support/chromium.js')
  const { runsMsw3 } = await import('../support/msw.js')
  const skipped: Skipped[] = [
    ['browser', 'tests in a browser', noChromium],
    ...needs.map(({ suite, what, program, get }): Skipped => {
      return [suite, what, has(program) ? undefined : `there is no ${program} (${get})`]
    }),
    ['quick', 'tests with MSW 3', runsMsw3 ? undefined : 'it needs Node 22'],
  ]
  const all = Object.entries(suites)
  const seconds = all.reduce((sum, [name, each]) => sum + (names.has(name) ? each.seconds : 0), 0)
  const others = all.flatMap(([name, { script }]) => (names.has(name) ? [] : [commandOf(script)]))
  return [
    `Runs ${files} files of tests. On an idle machine with 2 processors and Chromium, this takes about ${seconds} seconds.`,
    ...(others.length > 0 ? [`Not part of it: ${others.join(', ')}.`] : []),
    ...skipped.flatMap(([suite, what, why]) => {
      return why === undefined || !names.has(suite) ? [] : [`Skips ${what}: ${why}.`]
    }),
  ]
}

/** The command that runs a script of package.json. */
export function commandOf(script: string): string {
  return script === 'test' ? 'npm test' : `npm run ${script}`
}
