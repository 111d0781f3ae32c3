import { forgetOldest } from '../../../base/text/forget-oldest.js'
import type { ContentKey } from './content-key.js'
import type { TrajectoryPlace } from './trained-job.js'

/** The most trajectories that are remembered. */
const MOST_CONTENTS = 20_000

/** What is known about a content. */
interface Content {
  /** Where it was trained. */
  readonly place?: TrajectoryPlace | undefined
  /** The split that it was logged with. */
  readonly split?: string | undefined
}

/**
 * The trajectories without samples: data from elsewhere. It is not saved: what a restored world compares begins with its
 * own.
 */
export class Contents {
  readonly #known = new Map<ContentKey['key'], Content>()

  get(content: ContentKey | undefined): Content | undefined {
    return content && this.#known.get(content.key)
  }

  /** Remembers more about a content. */
  add({ key }: ContentKey, known: Content): void {
    this.#known.set(key, { ...this.#known.get(key), ...known })
    forgetOldest(this.#known, MOST_CONTENTS)
  }
}
