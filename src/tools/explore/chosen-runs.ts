import type { Exploration } from './exploration.js'
import {
  isEndless,
  plannedBy,
  type DrawnPart,
  type ListedPart,
  type Part,
  type PlanFacts,
  type PlannedRun,
  type PlannedTrial,
} from './part.js'
import { drawnIn } from './parts/index.js'
import { mostTellingFirst } from './ranking.js'

/** The runs that the user chose. */
export class ChosenRuns {
  /** The parts that draw their runs. */
  readonly drawn: readonly DrawnPart[]
  readonly #parts: readonly Part[]
  readonly #options: Pick<Exploration, 'only' | 'skip'>

  constructor(parts: readonly Part[], options: Pick<Exploration, 'only' | 'skip'>) {
    this.#parts = parts
    this.#options = options
    this.drawn = drawnIn(parts).filter(({ kind, isOptional }) => {
      return isOptional === true ? options.only?.includes(kind) === true : this.#has(kind)
    })
  }

  /** Whether kills are among them: runs are then compared by what the code makes. */
  get haveKills(): boolean {
    return this.drawn.some(({ kind }) => kind === 'crashes')
  }

  /** Whether there is always another one. */
  get areEndless(): boolean {
    return this.drawn.some(isEndless)
  }

  /** Those with names: the scenarios of the user, then the most telling ones. */
  listed(known: PlanFacts): (PlannedRun & { readonly part: ListedPart })[] {
    const runs = this.#parts.flatMap((part) => {
      if (part.kind !== 'scenario') return []
      const planned = [...part.plan(known)].filter(({ name }) => this.#has(name))
      // Those that the user names are tried even if they do not seem to fit.
      return planned.map((run) => ({
        ...run,
        part,
        ...(this.#options.only && { unfit: undefined }),
      }))
    })
    const isFirst = ({ part }: { part: ListedPart }): boolean => part.mayTakeAll === true
    const others = runs.filter((run) => !isFirst(run))
    return [...runs.filter(isFirst), ...mostTellingFirst(others)]
  }

  /** Those that are drawn and come to an end. */
  finite(known: PlanFacts): PlannedTrial[] {
    const parts = this.drawn.filter((part) => !isEndless(part))
    return parts.flatMap((part) => [...part.plan(known)].map((run) => plannedBy(part, run)))
  }

  #has(name: string): boolean {
    const { only, skip } = this.#options
    return (only?.includes(name) ?? true) && skip?.includes(name) !== true
  }
}
