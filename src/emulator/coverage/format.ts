import { counted } from '../../base/text/counted.js'
import type { CoverageGroup, CoverageReport } from './report.js'

/** Formats a report as a short table: met of total for each group, and the scenarios that close gaps. */
export function coverageSummary(report: CoverageReport): string[] {
  const { groups } = report
  if (groups.length === 0) return [NOTHING]
  const width = Math.max(...groups.map(({ name }) => name.length))
  const rows = groups.map(({ name, met, total }) => {
    return `  ${name.padEnd(width)}  ${String(met).padStart(3)} of ${String(total).padStart(2)}`
  })
  return [coverageHeadline(report), COUNTS, '', ...rows, '', ...scenarioLines(report)]
}

/** Formats a report with each gap and what closes it. */
export function coverageDetails(report: CoverageReport): string[] {
  const { groups, unused } = report
  if (groups.length === 0) return [NOTHING]
  const details = groups.flatMap((group) => ['', ...groupLines(group)])
  const rest = unused.map(({ name, total }) => `  ${name} (${counted(total, 'behavior')})`)
  return [
    coverageHeadline(report),
    COUNTS,
    ...details,
    ...(rest.length === 0 ? [] : ['', 'Not used:', ...rest]),
  ]
}

/** What counts as met. A scenario that runs is not enough. */
const COUNTS =
  'Met means that an answer, or a delivery that the code acknowledged, showed it. To run a scenario is not enough.'

const NOTHING = 'Coverage of the service: no client called an operation.'

/** Formats a report in one sentence. */
export function coverageHeadline({ met, total, used, operations }: CoverageReport): string {
  return `Coverage of the service: ${met} of ${counted(total, 'behavior')} met, ${used} of ${counted(operations, 'operation')} used.`
}

function groupLines({ name, met, total, behaviors }: CoverageGroup): string[] {
  const seen = behaviors.filter(({ count }) => count > 0)
  return [
    `${name}: ${met} of ${total}`,
    ...seen.map(({ text, count }) => `  met ${text} (${count})`),
    ...behaviors.flatMap(({ text, suggestion }) => {
      return suggestion ? [`  never saw ${text}: try ${suggestion.text}`] : []
    }),
  ]
}

/** Which built-in scenario closes which gaps: those that close most come first. */
function scenarioLines({ groups }: CoverageReport): string[] {
  const gaps = new Map<string, Gap>()
  let others = 0
  for (const group of groups) {
    for (const { text, suggestion } of group.behaviors) {
      if (!suggestion) continue
      const { scenario } = suggestion
      const key = `${text} ${scenario}`
      if (scenario === null) others++
      else gaps.set(key, { text, scenario, groups: [...(gaps.get(key)?.groups ?? []), group] })
    }
  }
  const lines = [...gaps.values()]
    .sort((one, other) => other.groups.length - one.groups.length)
    .map(({ text, scenario, groups: places }) => {
      return `  never saw ${text}${placesOf(places)}: try ${scenario}`
    })
  const own = `  ${counted(others, 'more gap')}: a fault of your own closes each (see docs/how-to/coverage.md)`
  if (lines.length === 0 && others === 0) return ['There are no gaps.']
  return ['Gaps:', ...lines, ...(others === 0 ? [] : [own])]
}

/** A behavior that the client has not met, in some groups. */
interface Gap {
  readonly text: string
  readonly scenario: string
  readonly groups: readonly CoverageGroup[]
}

function placesOf(groups: readonly CoverageGroup[]): string {
  const names = groups.map(({ name }) => name.replace('pages of ', '')).join(', ')
  const kind = groups[0]?.kind
  if (kind === 'operation') return ` on ${names}`
  if (kind === 'pages') return ` in ${names}`
  return kind === 'jobs' ? ` (${names})` : ''
}
