import { PlatformError } from './platform-error.js'

const MEGABYTE = 1024 * 1024

/** The most that the runs and artifacts of one world may be. */
export const PLATFORM_LIMITS = {
  /** Projects of all entities together. */
  projects: 1000,
  /** Runs of all projects together. */
  runs: 10_000,
  /** Lines of the history of one run. Its system metrics and its output have the same limit. */
  historyLines: 100_000,
  /** All histories, configs, summaries, notes and metadata together, in characters. */
  textCharacters: 128 * MEGABYTE,
  /** Types of artifacts in one project. */
  types: 1000,
  /** Programs that share one run. */
  writers: 1000,
  /** Files of one run. */
  runFiles: 10_000,
  /** Versions of all artifacts together. */
  artifacts: 50_000,
  /** Files of one version of an artifact. */
  artifactFiles: 100_000,
  /** Aliases, and tags, of one version of an artifact. */
  aliases: 1000,
  /** The contents of all files together, in bytes, as far as they are in memory. */
  blobBytes: 512 * MEGABYTE,
  /** The content of one file that is uploaded, in bytes. */
  // A client sends more in several parts, which the emulator does not take.
  uploadBytes: 2048 * MEGABYTE - 1,
}

export type PlatformLimits = Readonly<Record<keyof typeof PLATFORM_LIMITS, number>>

/** What each limit counts, for errors. */
const COUNTED: Readonly<Record<keyof PlatformLimits, string>> = {
  projects: 'projects in this world',
  runs: 'runs in this world',
  historyLines: 'lines in one stream of a run',
  textCharacters: 'characters in the histories, configs and metadata of this world',
  types: 'types of artifacts in one project',
  writers: 'writers of one run',
  runFiles: 'files in one run',
  artifacts: 'versions of artifacts in this world',
  artifactFiles: 'files in one version of an artifact',
  aliases: 'aliases or tags on one version of an artifact',
  blobBytes: 'bytes in the files of this world',
  uploadBytes: 'bytes in one upload',
}

/** @throws {PlatformError} When something would have too many aliases, or too many tags. */
export function checkLabels(
  limits: PlatformLimits,
  known: Iterable<string>,
  added: Iterable<string>,
): void {
  checkLimit(limits, 'aliases', new Set([...known, ...added]).size)
}

/** @throws {PlatformError} When `count` is more than the limit allows. */
export function checkLimit(
  limits: PlatformLimits,
  limit: keyof PlatformLimits,
  count: number,
): void {
  const most = limits[limit]
  if (count <= most) return
  throw new PlatformError(
    'limit',
    `There would be ${count} ${COUNTED[limit]}; at most ${most} are allowed. Delete what is not needed, or reset the emulator.`,
  )
}

/** Counts the characters of all texts of a world. */
export class TextMeter {
  readonly #limits: PlatformLimits
  #characters = 0

  constructor(limits: PlatformLimits) {
    this.#limits = limits
  }

  /** @throws {PlatformError} When there would be too many characters. */
  check(more: number): void {
    checkLimit(this.#limits, 'textCharacters', this.#characters + more)
  }

  /** Counts more characters, or fewer. */
  add(more: number): void {
    this.#characters += more
  }
}
