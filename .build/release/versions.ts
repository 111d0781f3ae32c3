import { allows, rangesIn } from '../../src/base/text/version-range.js'
import { checked, type Check } from './check.js'

const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([\dA-Za-z.-]+))?$/

/** Whether a text is a semantic version without build metadata. */
export function isVersion(text: string): boolean {
  return VERSION.test(text)
}

/**
 * Checks that everything that names the version names the same one.
 *
 * @param named The version by the place that names it. The first one is right.
 */
export function checkVersions(named: ReadonlyMap<string, string>): Check {
  const [[right, version] = ['', '']] = named
  const others = [...named].filter(([, each]) => each !== version)
  return checked('versions', `${version} in ${named.size} places`, [
    ...(isVersion(version)
      ? []
      : [
          {
            problem: `${right} has "${version}", which is not a semantic version.`,
            todo: 'Write it as 1.2.3.',
          },
        ]),
    ...others.map(([place, each]) => ({
      problem: `${place} has "${each}", but ${right} has "${version}".`,
      todo: `Write ${version} in ${place}. If it is built, build it again.`,
    })),
  ])
}

/** Returns the oldest version of a major version of Node that `engines.node` allows. */
export function oldestNode(engines: string, major: number): string | undefined {
  return rangesIn(engines).find(({ oldest }) => Number.parseInt(oldest, 10) === major)?.oldest
}

/**
 * Checks that the package was run on each version of Node that `engines` promises, and on no other one.
 *
 * @param isComplete Whether it was to run on all of them. Otherwise, ranges without a run are no problem.
 */
export function checkEngines(engines: string, ran: readonly string[], isComplete = true): Check {
  const ranges = rangesIn(engines)
  const untested = ranges.filter(
    (range) => isComplete && !ran.some((version) => allows(range, version)),
  )
  const strangers = ran.filter((version) => !ranges.some((range) => allows(range, version)))
  return checked('engines', `${engines}: ran on ${ran.join(', ') || 'none'}`, [
    ...untested.map(({ range }) => ({
      problem: `No run was on Node ${range}, which "engines" in package.json promises.`,
      todo: `Run on it: npm run release:check -- --node ${Number.parseInt(range.replace(/\D+/, ''), 10)}. Or remove it from "engines".`,
    })),
    ...strangers.map((version) => ({
      problem: `"engines" in package.json does not allow Node ${version}.`,
      todo: 'Use another version of Node, or add it to "engines".',
    })),
  ])
}
