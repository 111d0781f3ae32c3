import { checked, type Check, type Problem } from './check.js'
import { compareVersions } from '../../src/base/text/version-range.js'
import { isVersion } from './versions.js'

/** The heading of what is not released yet. */
const UNRELEASED = 'Unreleased'

const FORM = '`## 1.2.3 - 2026-01-31`'

interface Section {
  /** `0.2.0 - 2026-11-01`, or `Unreleased`. */
  heading: string
  version: string
  date: string | undefined
}

/**
 * Checks the changelog: its newest section is about this version, and all sections are in order.
 *
 * @param text The text of CHANGELOG.md.
 * @param version The version in package.json.
 */
export function checkChangelog(
  text: string,
  version: string,
  { allowUnreleased }: { allowUnreleased: boolean },
): Check[] {
  const sections = sectionsOf(text)
  const newest = sections.at(0)
  const measured = newest ? `## ${newest.heading}` : 'no section'
  return [
    checked(
      'changelog: newest section',
      measured,
      newestProblems(sections, version, allowUnreleased),
    ),
    checked('changelog: all sections', `${sections.length} sections`, [
      ...orderProblems(sections),
      ...emptyProblems(text),
    ]),
  ]
}

function sectionsOf(text: string): Section[] {
  return Array.from(text.matchAll(/^## (.+)$/gm), ([, heading = '']) => {
    const [, version = '', date] = /^(\S+)(?: - (.*))?$/.exec(heading) ?? []
    return { heading, version: version || heading, date }
  })
}

function newestProblems(
  sections: readonly Section[],
  version: string,
  allowUnreleased: boolean,
): Problem[] {
  const newest = sections.at(0)
  if (newest === undefined) {
    return [{ problem: 'CHANGELOG.md has no section.', todo: `Add a section: ${FORM}.` }]
  }
  if (newest.heading === UNRELEASED) {
    if (allowUnreleased) return []
    const problem = 'The newest section of CHANGELOG.md is "## Unreleased".'
    const isTaken = sections.some((section) => section.version === version)
    const choose = isTaken
      ? `${version} already has a section: choose a later version, and set it in package.json, package-lock.json and python/src/svtrain_emulator/_version.py. `
      : ''
    const name = isTaken ? '<the new version>' : version
    return [
      {
        problem,
        todo: `${choose}Rename the heading to "## ${name} - <the date of the release>". To check before a release, pass --allow-unreleased.`,
      },
    ]
  }
  const problems: Problem[] = []
  if (newest.version !== version) {
    problems.push({
      problem: `The newest section of CHANGELOG.md is "## ${newest.heading}", but the version is ${version}.`,
      todo: `Write a section for ${version} above it, or correct the version in package.json.`,
    })
  }
  if (newest.date === undefined || !isDate(newest.date)) {
    problems.push({
      problem: `The heading "## ${newest.heading}" has no date.`,
      todo: `Write the date of the release: ${FORM}.`,
    })
  }
  return problems
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

function orderProblems(sections: readonly Section[]): Problem[] {
  const problems: Problem[] = []
  for (const [index, { heading, version }] of sections.entries()) {
    if (heading === UNRELEASED && index === 0) continue
    if (!isVersion(version)) {
      problems.push({
        problem: `The heading "## ${heading}" names no version.`,
        todo: `Write a semantic version, as in ${FORM}. "## Unreleased" can only come first.`,
      })
      continue
    }
    const above = index === 0 ? undefined : sections.at(index - 1)?.version
    if (above !== undefined && isVersion(above) && compareVersions(above, version) <= 0) {
      problems.push({
        problem: `${version} comes below ${above}, but it is not older.`,
        todo: 'Put the newest version first. Each version has one section.',
      })
    }
  }
  return problems
}

/** Finds headings without a text before the next heading of their level. */
function emptyProblems(text: string): Problem[] {
  const headings = [...text.matchAll(/^(#{2,6}) (.+)$/gm)]
  return headings.flatMap((match, index) => {
    const [whole, marks = '', heading = ''] = match
    const from = match.index + whole.length
    const next = headings.slice(index + 1).find(([, other = '']) => other.length <= marks.length)
    const body = text.slice(from, next?.index).replaceAll(/^#{2,6} .+$/gm, '')
    if (body.trim() !== '') return []
    const problem = `The section "${marks} ${heading}" is empty.`
    return [{ problem, todo: 'Say what changed, or remove the heading.' }]
  })
}
