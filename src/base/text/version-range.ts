/** The numbers of a version, and what marks it as one before the release: `-rc.1`, `rc1`. */
const VERSION = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:[-.]?([\dA-Za-z.-]+))?$/
/** What follows a release and does not make it older: `+cu121` of a build, `.post1` of Python. */
const AFTER = /(?:\.?post\d+)?(?:\+.*)?$/

/** Returns a negative number if the first version is older, as semantic versioning orders them. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [partsOf(one), partsOf(other)]
  for (const [index, number] of first.numbers.entries()) {
    const difference = number - second.numbers[index]!
    if (difference !== 0) return difference
  }
  if (first.pre === undefined || second.pre === undefined) {
    return Number(second.pre !== undefined) - Number(first.pre !== undefined)
  }
  return first.pre.localeCompare(second.pre, 'en', { numeric: true })
}

function partsOf(version: string): { numbers: number[]; pre: string | undefined } {
  const [, major = 0, minor = 0, patch = 0, pre] = VERSION.exec(version.replace(AFTER, '')) ?? []
  return { numbers: [major, minor, patch].map(Number), pre }
}

/** One of the alternatives in `engines` or `peerDependencies` of a package.json. */
export interface VersionRange {
  /** `^20.19.0`. */
  readonly range: string
  readonly oldest: string
  /** Whether it allows all later versions, not only those of the same major version. */
  readonly isOpen: boolean
}

/** Reads `^20.19.0 || >=24.0.0`. It knows no other signs. */
export function rangesIn(text: string): VersionRange[] {
  return text.split('||').map((part) => {
    const range = part.trim()
    return { range, oldest: range.replace(/^(?:\^|>=)/, ''), isOpen: range.startsWith('>=') }
  })
}

/** Whether a range allows a version. */
export function allows({ oldest, isOpen }: VersionRange, version: string): boolean {
  const sameMajor = Number.parseInt(version, 10) === Number.parseInt(oldest, 10)
  return (isOpen || sameMajor) && compareVersions(version, oldest) >= 0
}

/** Whether one of the ranges in a text allows a version. */
export function isInRange(version: string, ranges: string): boolean {
  return rangesIn(ranges).some((range) => allows(range, version))
}
