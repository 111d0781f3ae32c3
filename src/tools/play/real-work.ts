import { Unavailable, type OpenTrainingData } from '../../service/engine/jobs/training-data.js'

/** Knows whether training data is being read. This takes real time, so the clock must wait for it. */
export class RealWork {
  #underWay = 0

  get isUnderWay(): boolean {
    return this.#underWay > 0
  }

  /** Wraps `open` and counts what it opens. Data is always read to its end, or until it fails. */
  watch(open: OpenTrainingData): OpenTrainingData {
    return async (url) => {
      this.#underWay++
      try {
        const opened = await open(url)
        return opened instanceof Unavailable ? opened : this.#counted(opened)
      } finally {
        this.#underWay--
      }
    }
  }

  #counted(lines: AsyncIterable<string>): AsyncIterable<string> {
    this.#underWay++
    const done = (): void => void this.#underWay--
    return {
      async *[Symbol.asyncIterator]() {
        try {
          yield* lines
        } finally {
          done()
        }
      },
    }
  }
}
