import { counted } from '../../../base/text/counted.js'
import type { CheckName, FileCheckName } from '../../../service/scenario/check-names.js'
import { notJudgedTexts, type Reach } from '../reach.js'
import type { RowShape } from './row.js'

/** A place in a file. */
export interface FilePlace {
  readonly line: number
  /** The index of the group, if a line has several. */
  readonly group?: number | undefined
  /** The index of the trajectory, if a line has several. */
  readonly trajectory?: number | undefined
  /** The index in the messages of the trajectory. */
  readonly turn?: number | undefined
}

/** A place where a check found something, with the evidence. */
export interface FoundPlace extends FilePlace {
  readonly what?: string | undefined
}

/** What one check found in a file. */
export interface FileFinding {
  readonly check: FileCheckName
  readonly severity: 'fail' | 'warn'
  /** What was found, and how often. */
  readonly text: string
  readonly count: number
  /** Of how many. Null if each is a mistake. */
  readonly of: number | null
  /** The first places. */
  readonly places: readonly FoundPlace[]
  readonly advice: string
}

/** A line that cannot be used, or that the service would refuse. */
export interface FileProblem {
  readonly line: number
  readonly problem: string
  readonly refused: boolean
}

/** What is known about a file of training data. */
export interface FileReport {
  /** What its rows are. Null if no line could be read. */
  readonly shape: RowShape | null
  readonly rows: number
  readonly groups: number
  readonly trajectories: number
  /** The number of trajectories without a reward, which is 0 then. */
  readonly unrewarded: number
  readonly answers: number
  /** The number of lines that cannot be used. */
  readonly unusable: number
  /** The first of them. */
  readonly problems: readonly FileProblem[]
  /** The number of things in rows that a job accepts, and that make little sense. */
  readonly doubted: number
  /** The first of them. */
  readonly doubts: readonly { readonly line: number; readonly doubt: string }[]
  readonly findings: readonly FileFinding[]
  /** How much each check judged, and why not the rest. */
  readonly judged: readonly Reach<FileCheckName>[]
  /** The checks that said nothing, each with the reason. */
  readonly skipped: readonly {
    readonly check: CheckName
    readonly why: string
    /** Whether the rows can have the mistake, so that it may be there. */
    readonly applies: boolean
  }[]
}

/** Names a place: `line 3, trajectory 1, turn 2`. */
export function formatPlace({ line, group, trajectory, turn }: FilePlace): string {
  const parts = Object.entries({ line, group, trajectory, turn })
  return parts.flatMap(([name, at]) => (at === undefined ? [] : [`${name} ${at}`])).join(', ')
}

/** Names the first places of a finding, each with its evidence, and says how many more there are. */
export function placesText({ places, count }: FileFinding, most: number): string {
  const shown = places.slice(0, most).map(({ what, ...place }) => {
    return `${formatPlace(place)}${what === undefined ? '' : ` (${what})`}`
  })
  const more = count - shown.length
  if (more > 0) shown.push(counted(more, 'more place'))
  const last = shown.pop()!
  return shown.length === 0 ? last : `${shown.join('; ')}; and ${last}`
}

/** Says what of a file was not judged, a line for each reason. */
export function notJudged({ judged, skipped }: FileReport): string[] {
  const applying = skipped.filter(({ applies }) => applies)
  return [...notJudgedTexts(judged), ...applying.map(({ check, why }) => `${check}: ${why}`)]
}

/** Says what rewards are that a file does not have. Empty if it has all. */
export function unrewardedText({ unrewarded, trajectories }: FileReport): string[] {
  if (unrewarded === 0) return []
  const where = `${unrewarded} of ${counted(trajectories, 'trajectory', 'trajectories')}`
  return [`"reward" is missing in ${where}, and counts as 0: clients leave out rewards of 0`]
}

/** What is wrong with a file without rows. */
export const NO_ROWS = 'The file has no lines: a job with it fails.'

/** Whether a report has something that must fail: no row, a finding that fails, or a line that cannot be used. */
export function isBad({ rows, unusable, findings }: FileReport): boolean {
  return rows === 0 || unusable > 0 || findings.some(({ severity }) => severity === 'fail')
}
