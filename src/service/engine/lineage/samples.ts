import { LONGEST_TEXT, type Sample } from './sample.js'
import type { TrainedAnswer } from './trained-job.js'

/** The limits of what a world remembers. */
const MOST_SAMPLES = 20_000
const MOST_CHARACTERS = 16_000_000

/** The most samples with the same text that are compared. */
const MOST_COMPARED = 256

/** An answer that was submitted, as far as it helps to find its sample. */
export interface SubmittedAnswer {
  /** The id of the completion and the index of the choice, if the answer was captured with its response. */
  readonly completion?: string | undefined
  readonly choice: number
  readonly hashes: AnswerHashes
  readonly text: string
  /** The hash of its text. It may be made when it is read. */
  readonly words: number
  /** The hash of its token ids. 0 if it has none. */
  readonly ids: number
}

/** The hashes of an answer with the messages before it. They may be made when they are read. */
export interface AnswerHashes {
  /** The hash of the messages before it. */
  readonly prompt: number
  /** The hash of those messages and the answer. */
  readonly through: number
}

/** Which of its marks an answer shares with its sample. With `prompt` alone its text was changed. */
export type MatchedBy = NonNullable<TrainedAnswer['by']>

export interface MatchedSample {
  readonly sample: Sample
  readonly by: MatchedBy
}

/** The samples of a world, found by what a client may submit of them. The oldest are forgotten at a limit. */
export class Samples {
  readonly #all = new Map<number, Sample>()
  readonly #by = {
    through: new Index(this, 'through'),
    completion: new Index(this, 'completion'),
    words: new Index(this, 'words'),
    prompt: new Index(this, 'prompt'),
    ids: new Index(this, 'ids'),
  }
  /** The number of samples of each model. A base model counts by its id. */
  readonly #models = new Map<string, number>()
  #characters = 0
  /** The number of the newest sample. */
  newest = 0

  /** The number of the oldest sample. 1 if there is none. */
  get oldest(): number {
    const [first = 1] = this.#all.keys()
    return first
  }

  get size(): number {
    return this.#all.size
  }

  /** The samples in the order in which they were taken. */
  get all(): Iterable<Sample> {
    return this.#all.values()
  }

  get(number: number): Sample | undefined {
    return this.#all.get(number)
  }

  /** Whether a model, or a base model, has answered a chat. */
  hasAnswered(model: string): boolean {
    return this.#models.has(model)
  }

  add(sample: Sample): void {
    this.#all.set(sample.number, sample)
    this.newest = sample.number
    this.#characters += sample.text.length
    this.#models.set(sample.model, (this.#models.get(sample.model) ?? 0) + 1)
  }

  /**
   * Forgets the oldest samples if there are too many. It forgets a fifth of them at once, because the indexes are then
   * made again. Returns their numbers.
   */
  forgetOldest(): number[] {
    if (this.#all.size <= MOST_SAMPLES && this.#characters <= MOST_CHARACTERS) return []
    const forgotten: number[] = []
    for (const sample of this.#all.values()) {
      if (this.#all.size <= 0.8 * MOST_SAMPLES && this.#characters <= 0.8 * MOST_CHARACTERS) break
      this.#forget(sample)
      forgotten.push(sample.number)
    }
    for (const index of Object.values(this.#by)) index.clear()
    return forgotten
  }

  /**
   * Finds the sample of an answer: by the id of its response, then by its token ids, then by its text, then by the
   * messages before it. Samples of `models` are preferred, in that order, then those after the same messages, then those
   * that are not taken, then those of `step`, then the newest.
   */
  find(answer: SubmittedAnswer, { models, isTaken, step }: Preferences): MatchedSample | undefined {
    if (this.size === 0) return undefined
    const captured = this.#captured(answer)
    if (captured) return { sample: captured, by: 'id' }
    const best = (samples: readonly Sample[]): Sample | undefined =>
      bestOf(samples, (each) => {
        const place = models.indexOf(each.model)
        const rank = place === -1 ? models.length : place
        const isOfStep = step === undefined || each.step === step
        const isOfPrompt = each.prompt === answer.hashes.prompt
        return 8 * rank + 4 * Number(!isOfPrompt) + 2 * Number(isTaken(each)) + Number(!isOfStep)
      })
    const withTokens = answer.ids === 0 ? undefined : best(this.#by.ids.get(answer.ids))
    if (withTokens) return { sample: withTokens, by: 'tokens' }
    const exact = best(this.#withTextOf(answer)) ?? best(this.#by.words.get(answer.words))
    if (exact) return { sample: exact, by: 'text' }
    // Another model's answer to the same messages is not this answer with a changed text.
    const changed = best(
      this.#by.prompt.get(answer.hashes.prompt).filter((each) => {
        if (!models.includes(each.model) || isTaken(each)) return false
        return each.isEdited === true || isSimilar(each.text, answer.text)
      }),
    )
    return changed && { sample: changed, by: 'prompt' }
  }

  /** The steps whose samples may be an answer, the newest first. */
  stepsOf(answer: SubmittedAnswer, preferences: Preferences): number[] {
    if (this.size === 0) return []
    const steps = this.#unusedOf(answer, preferences).flatMap(({ step }) => step ?? [])
    return [...new Set(steps)].toSorted((one, other) => other - one)
  }

  /** Whether a sample of a step may be an answer. */
  isOfStep(answer: SubmittedAnswer, step: number, preferences: Preferences): boolean {
    return this.#unusedOf(answer, preferences).some((sample) => sample.step === step)
  }

  /** The samples of the preferred model with the text of an answer that are not used. */
  #unusedOf(answer: SubmittedAnswer, { models: [own], isTaken }: Preferences): Sample[] {
    const samples = this.#withTextOf(answer).slice(-MOST_COMPARED)
    return samples.filter((each) => each.model === own && !isTaken(each))
  }

  /** The samples with the text of an answer: those after the same messages, if there are several. */
  #withTextOf({ words, hashes }: SubmittedAnswer): readonly Sample[] {
    const samples = this.#by.words.get(words)
    return samples.length > 1 ? this.#by.through.get(hashes.through) : samples
  }

  #captured({ completion, choice }: SubmittedAnswer): Sample | undefined {
    if (completion === undefined) return undefined
    return this.#by.completion.get(completion).find((each) => each.choice === choice)
  }

  #forget(sample: Sample): void {
    this.#all.delete(sample.number)
    this.#characters -= sample.text.length
    const left = this.#models.get(sample.model)! - 1
    if (left === 0) this.#models.delete(sample.model)
    else this.#models.set(sample.model, left)
  }
}

export interface Preferences {
  /** The ids of the models whose samples are meant most likely. */
  readonly models: readonly string[]
  /** The step that is meant most likely. Default: any. */
  readonly step?: number | undefined
  /** Whether another one is meant more likely, such as one that a job has not used. */
  readonly isTaken: (sample: Sample) => boolean
}

/** Whether a text may be another one that somebody edited: half of it is the same at its ends. */
function isSimilar(sampled: string, submitted: string): boolean {
  const [one, other] = [sampled.toLowerCase(), submitted.slice(0, LONGEST_TEXT).toLowerCase()]
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one]
  if (shorter === '') return longer === ''
  let start = 0
  while (start < shorter.length && one[start] === other[start]) start++
  let end = 0
  while (end < shorter.length - start && one.at(-1 - end) === other.at(-1 - end)) end++
  return start + end >= longer.length / 2 || longer.includes(shorter)
}

/** Returns the sample with the lowest rank; the newest of several. */
function bestOf(samples: readonly Sample[], rank: (sample: Sample) => number): Sample | undefined {
  if (samples.length < 2) return samples[0]
  let best: Sample | undefined
  let lowest = Infinity
  const end = Math.max(0, samples.length - MOST_COMPARED)
  for (let place = samples.length - 1; place >= end && lowest > 0; place--) {
    const sample = samples[place]!
    const its = rank(sample)
    if (its >= lowest) continue
    best = sample
    lowest = its
  }
  return best
}

type IndexedField = 'through' | 'completion' | 'words' | 'prompt' | 'ids'

/**
 * Finds samples by one of their fields. It is made when something is looked for: most answers that are submitted are
 * found by the first index, and many samples are never submitted.
 */
class Index {
  readonly #all: Pick<Samples, 'get' | 'oldest' | 'newest'>
  readonly #field: IndexedField
  readonly #samples = new Map<number | string, Sample | Sample[]>()
  /** The number of the last sample that it has. */
  #last = 0

  constructor(all: Pick<Samples, 'get' | 'oldest' | 'newest'>, field: IndexedField) {
    this.#all = all
    this.#field = field
  }

  /** Returns the samples with that value, oldest first. */
  get(key: number | string): readonly Sample[] {
    this.#addNew()
    const known = this.#samples.get(key)
    if (known === undefined) return NONE
    return Array.isArray(known) ? known : [known]
  }

  clear(): void {
    this.#samples.clear()
    this.#last = 0
  }

  #addNew(): void {
    if (this.#last === 0) this.#last = this.#all.oldest - 1
    while (this.#last < this.#all.newest) {
      this.#last++
      const sample = this.#all.get(this.#last)
      if (sample) this.#add(sample)
    }
  }

  #add(sample: Sample): void {
    const key = sample[this.#field]
    const known = this.#samples.get(key)
    if (known === undefined) this.#samples.set(key, sample)
    else if (Array.isArray(known)) known.push(sample)
    else this.#samples.set(key, [known, sample])
  }
}

const NONE: readonly Sample[] = []
