import { fileCheckNames, type FileCheckName } from '../../../service/scenario/check-names.js'
import type { TrainedJob } from '../../../service/engine/lineage/trained-job.js'
import { checks } from '../checks/index.js'
import type { CheckSetting } from '../client-checks.js'
import { earlierText, type Evidence } from '../evidence.js'
import { Tally } from '../tally.js'
import { checksOfSamples, whyNot } from './file-checks.js'
import { formatPlace, type FileFinding, type FileReport, type FoundPlace } from './file-report.js'
import type { FileTrajectories } from './file-trajectories.js'
import { shapeFacts, type RowShape } from './row.js'

/** How each check of a file runs. Default: it warns. */
export type FileCheckSettings = Readonly<Partial<Record<FileCheckName, CheckSetting>>>

/** The most places that a report lists. It counts all. */
const MOST_PLACES = 20

/** What a check found, and where first. */
interface FileTally {
  readonly tally: Tally
  readonly places: FoundPlace[]
}

/** What the checks of a file find. */
export class FileTallies {
  readonly #settings: FileCheckSettings
  readonly #trajectories: FileTrajectories
  readonly #tallies = new Map(
    fileCheckNames.map((name): [FileCheckName, FileTally] => {
      return [name, { tally: new Tally(checks[name].training), places: [] }]
    }),
  )

  /** `trajectories` knows in which lines they are. */
  constructor(settings: FileCheckSettings, trajectories: FileTrajectories) {
    this.#settings = settings
    this.#trajectories = trajectories
  }

  /** Takes a row, or a group of rows, as a job would train it. */
  add(job: TrainedJob, shape: RowShape): void {
    for (const check of this.#running(shape)) {
      const { tally, places } = this.#tallies.get(check)!
      this.#show(places, tally.add(job, shapeFacts[shape].isWholeJob))
    }
  }

  /** Adds what only the whole file shows. */
  settle(): void {
    for (const { tally, places } of this.#tallies.values()) this.#show(places, tally.settle())
  }

  /** Says what was found, what was judged, and what was not. */
  end(shape: RowShape | null): Pick<FileReport, 'findings' | 'judged' | 'skipped'> {
    return {
      findings: fileCheckNames.flatMap((check) => this.#findingOf(check)),
      judged: this.#running(shape).map((check) => this.#tallies.get(check)!.tally.reachOf(check)),
      skipped: this.#skipped(shape),
    }
  }

  #skipped(shape: RowShape | null): FileReport['skipped'] {
    const isExample = shape !== null && shapeFacts[shape].isExample
    return [
      ...fileCheckNames.flatMap((check) => {
        const isOff = this.#settings[check] === false
        const why = isOff ? 'it is off' : shape && whyNot(check, shape)
        return why ? [{ check, why, applies: !isOff && !isExample }] : []
      }),
      ...checksOfSamples.map((check) => {
        return { check, why: 'it compares jobs with what an emulator has seen', applies: false }
      }),
    ]
  }

  /** Adds the first places of what was found. */
  #show(places: FoundPlace[], found: readonly Evidence[]): void {
    const shown = found.slice(0, MOST_PLACES - places.length)
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
