import { fileCheckNames, type FileCheckName } from '../../../service/scenario/check-names.js'
import { answersOf, sizeOf } from '../../../service/engine/lineage/trained-job.js'
import { checks } from '../checks/index.js'
import type { CheckSetting } from '../client-checks.js'
import { earlierText, type Evidence } from '../evidence.js'
import { Tally } from '../tally.js'
import { checksOfSamples, whyNot } from './file-checks.js'
import {
  formatPlace,
  type FileFinding,
  type FileProblem,
  type FileReport,
  type FoundPlace,
} from './file-report.js'
import { beginsLongValue } from '../../../service/engine/jobs/row-format.js'
import { FileTrajectories } from './file-trajectories.js'
import { readRow } from './read-row.js'
import { rowShapes, shapeFacts, type Row, type RowShape } from './row.js'

/** How each check of a file runs. Default: it warns. */
export type FileCheckSettings = Readonly<Partial<Record<FileCheckName, CheckSetting>>>

/** The most places and lines that a report lists. It counts all. */
const MOST_SHOWN = 20

/**
 * Checks a file of training data, line by line. Of what it has read, it remembers counts, the first places of each
 * finding, and the hash and the line of each trajectory.
 */
export async function checkTrainingFile(
  lines: AsyncIterable<string>,
  settings: FileCheckSettings = {},
): Promise<FileReport> {
  const checker = new FileChecker(settings)
  let number = 0
  for await (const line of lines) {
    number++
    if (line.trim() === '') continue
    checker.read(line, number)
    // Each of the other lines would only be a part of it, too.
    if (checker.rows === 1 && beginsLongValue(line)) break
  }
  return checker.end()
}

class FileChecker {
  readonly #settings: FileCheckSettings
  readonly #tallies = new Map(
    fileCheckNames.map((name): [FileCheckName, FileTally] => {
      return [name, { tally: new Tally(checks[name].training), places: [] }]
    }),
  )
  readonly #trajectories = new FileTrajectories()
  readonly #problems: FileProblem[] = []
  readonly #doubts: FileReport['doubts'][number][] = []
  readonly #counts = {
    rows: 0,
    groups: 0,
    trajectories: 0,
    unrewarded: 0,
    answers: 0,
    unusable: 0,
    doubted: 0,
  }
  /** What the first row is of which something could be read, and its line. All others must be the same. */
  #first: { shape: RowShape; line: number } | undefined
  /** Rows of one group, which come one after the other. */
  #group: { index: unknown; rows: ReadRow[] } | undefined

  constructor(settings: FileCheckSettings) {
    this.#settings = settings
  }

  /** How many lines were read as rows. */
  get rows(): number {
    return this.#counts.rows
  }

  read(text: string, line: number): void {
    this.#counts.rows++
    const read = readRow(text)
    const isUnusable = 'problem' in read
    if (isUnusable) {
      this.#report({ line, problem: read.problem, refused: read.isRefused === true })
    }
    const row = isUnusable ? read.rest : read
    if (!row) return
    this.#first ??= { shape: row.shape, line }
    const { shape, line: firstLine } = this.#first
    if (!isUnusable && row.shape !== shape) {
      const problem = `${rowShapes[row.shape]}, but line ${firstLine} is ${rowShapes[shape]}: put rows of one kind into a file`
      this.#report({ line, problem, refused: false })
    }
    this.#add(row, line)
  }

  #add(row: Row, line: number): void {
    for (const doubt of row.doubts ?? []) {
      this.#counts.doubted++
      if (this.#doubts.length < MOST_SHOWN) this.#doubts.push({ line, doubt })
    }
    if (row.groupIndex !== undefined) this.#collect({ row, line })
    else this.#check(row, [line])
  }

  end(): FileReport {
    this.#endGroup()
    const shape = this.#first?.shape ?? null
    if (this.#trajectories.areScored) {
      for (const { tally, places } of this.#tallies.values()) this.#show(places, tally.settle())
    }
    const isExample = shape !== null && shapeFacts[shape].isExample
    const skipped = [
      ...fileCheckNames.flatMap((check) => {
        const isOff = this.#settings[check] === false
        const why = isOff ? 'it is off' : shape && whyNot(check, shape)
        return why ? [{ check, why, applies: !isOff && !isExample }] : []
      }),
      ...checksOfSamples.map((check) => {
        return { check, why: 'it compares jobs with what an emulator has seen', applies: false }
      }),
    ]
    return {
      shape,
      ...this.#counts,
      problems: this.#problems,
      doubts: this.#doubts,
      findings: fileCheckNames.flatMap((check) => this.#findingOf(check)),
      judged: this.#running(shape).map((check) => this.#tallies.get(check)!.tally.reachOf(check)),
      skipped,
    }
  }

  #report(problem: FileProblem): void {
    this.#counts.unusable++
    if (this.#problems.length < MOST_SHOWN) this.#problems.push(problem)
  }

  #collect(read: ReadRow): void {
    const { groupIndex: index } = read.row
    if (this.#group?.index !== index) this.#endGroup()
    this.#group ??= { index, rows: [] }
    this.#group.rows.push(read)
  }

  #endGroup(): void {
    const { rows = [] } = this.#group ?? {}
    this.#group = undefined
    if (rows.length === 0) return
    const trajectories = rows.flatMap(({ row }) => row.groups[0]?.trajectories ?? [])
    const lines = rows.map(({ line }) => line)
    this.#check({ shape: rows[0]!.row.shape, groups: [{ trajectories }] }, lines)
  }

  /** Checks a row, or a group of rows. `lines` has the line of all its trajectories, or of each. */
  #check(row: Row, lines: readonly number[]): void {
    const { hasGroups, isWholeJob, isExample } = shapeFacts[row.shape]
    const job = this.#trajectories.read(row, lines)
    if (hasGroups) this.#counts.groups += row.groups.length
    this.#counts.trajectories += sizeOf(job)
    const trajectories = isExample ? [] : row.groups.flatMap((group) => group.trajectories ?? [])
    this.#counts.unrewarded += trajectories.filter(({ reward }) => reward === undefined).length
    this.#counts.answers += answersOf(job).length
    for (const check of this.#running(row.shape)) {
      const { tally, places } = this.#tallies.get(check)!
      this.#show(places, tally.add(job, isWholeJob))
    }
  }

  /** Adds the first places of what was found. */
  #show(places: FoundPlace[], found: readonly Evidence[]): void {
    const shown = found.slice(0, MOST_SHOWN - places.length)
    places.push(...shown.map((evidence) => this.#placed(evidence)))
  }

  #placed({ place, turn, what, earlier }: Evidence): FoundPlace {
    const before = earlier && formatPlace(this.#trajectories.placeOf(earlier))
    const said = before === undefined ? what : earlierText(before, what)
    return { ...this.#trajectories.placeOf(place), turn, what: said }
  }

  /** The checks that are on, and that the rows can be judged by. */
  #running(shape: RowShape | null): readonly FileCheckName[] {
    return fileCheckNames.filter((check) => {
      return this.#settings[check] !== false && shape && whyNot(check, shape) === undefined
    })
  }

  #findingOf(check: FileCheckName): FileFinding[] {
    const { tally, places } = this.#tallies.get(check)!
    if (!tally.isMistake) return []
    const { count, all, words } = tally
    const severity = this.#settings[check] === 'fail' ? 'fail' : 'warn'
    const of = checks[check].training.ifMany ? all : null
    return [{ check, severity, text: words.text, count, of, places, advice: words.advice }]
  }
}

interface ReadRow {
  readonly row: Row
  readonly line: number
}

/** What a check found, and where first. */
interface FileTally {
  readonly tally: Tally
  readonly places: FoundPlace[]
}
