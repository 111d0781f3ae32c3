import { counted, groupsOf } from '../../base/text/counted.js'
import type { RequestEntry } from '../../service/engine/journal.js'
import type { TrainedJob } from '../../service/engine/lineage/trained-job.js'
import type { TestedWorld } from './world.js'

/** What is said once about a client check. Its name turns it off: `assertClientChecks({ deliveries: false })`. */
export interface CheckDefinition {
  /** The mistake that it looks for. The reference and the option of the check say it with these words. */
  readonly mistake: string
  /** When a client may do what looks like the mistake. The check does not report it, or can be turned off. */
  readonly legitimate: string
  /** Finds the mistake in the requests of a world. `setting` are its options. */
  readonly find: (
    world: TestedWorld,
    requests: readonly RequestEntry[],
    setting?: unknown,
  ) => readonly FoundMistake[]
  /** Finds the mistake in one job that was just submitted. */
  readonly findIn?: (
    world: TestedWorld,
    job: TrainedJob,
    setting?: unknown,
  ) => readonly FoundMistake[]
  /** Finds the mistake in a request that just deleted checkpoints. */
  readonly findInDeletion?: (
    world: TestedWorld,
    deletion: RequestEntry,
    setting?: unknown,
  ) => readonly FoundMistake[]
}

export interface FoundMistake {
  /** What the client did, as a sentence without a full stop. */
  readonly text: string
  /** The part of the text that quotes an answer. Reports without contents replace it. */
  readonly quote?: string | undefined
  /** The ids of the requests that it is about, the mistake first. */
  readonly requests: readonly number[]
}

/** What a client did, and what that is about, such as a job. */
export interface MistakeAbout extends FoundMistake {
  readonly about: string
}

/**
 * Makes one mistake of all that are about the same thing: a loop makes it in each turn.
 *
 * @param advice - What to do instead.
 */
export function oncePer(found: readonly MistakeAbout[], advice: string): FoundMistake[] {
  return Array.from(groupsOf(found, ({ about }) => about).values(), (all) => {
    const more =
      all.length === 1 ? '' : `, and ${counted(all.length - 1, 'more call')} did the same`
    const requests = [...new Set(all.flatMap((each) => each.requests))]
    return { text: `${all[0]!.text}${more}; ${advice}`, requests }
  })
}
