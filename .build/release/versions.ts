import { checked, type Check } from './check.js'

const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([\dA-Za-z.-]+))?$/

/** Whether a text is a semantic version without build metadata. */
export function isVersion(text: string): boolean {
  return VERSION.test(text)
}

/** Returns a negative number if the first version is older, as semantic versioning orders them. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [partsOf(one), partsOf(other)]
  for (const [index, number] of first.numbers.entries()) {
    const difference = number - (second.numbers.at(index) ?? 0)
    if (difference !== 0) return difference
  }
  if (first.pre === undefined || second.pre === undefined) {
    return Number(second.pre !== undefined) - Number(first.pre !== undefined)
  }
  return first.pre.localeCompare(second.pre, 'en', { numeric: true })
}

function partsOf(version: string): { numbers: number[]; pre: string | undefined } {
  const [, major, minor, patch, pre] = VERSION.exec(version) ?? []
  return { numbers: [major, minor, patch].map(Number), pre }
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

/** The alternatives of `engines.node`, each with the oldest version that it allows. */
function rangesOf(engines: string): { range: string; oldest: string; isOpen: boolean }[] {
  return engines.split('||').map((part) => {
    const range = part.trim()
    return { range, oldest: range.replace(/^(?:\^|>=)/, ''), isOpen: range.startsWith('>=') }
  })
}

/** Returns the oldest version of a major version of Node that `engines.node` allows. */
export function oldestNode(engines: string, major: number): string | undefined {
  return rangesOf(engines).find(({ oldest }) => Number.parseInt(oldest, 10) === major)?.oldest
}

/**
 * Checks that the package was run on each version of Node that `engines` promises, and on no other one.
 *
 * @param isComplete Whether it was to run on all of them. Otherwise, ranges without a run are no problem.
 */
export function checkEngines(engines: string, ran: readonly string[], isComplete = true): Check {
  const allows = ({ oldest, isOpen }: ReturnType<typeof rangesOf>[number], version: string) => {
    const sameMajor = Number.parseInt(version, 10) === Number.parseInt(oldest, 10)
    return (isOpen || sameMajor) && compareVersions(version, oldest) >= 0
  }
  const ranges = rangesOf(engines)
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
