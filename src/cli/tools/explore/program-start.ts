import { cpSync, existsSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createOwnFolder, type OwnFolder } from '../../../emulator/adapters/own-folder.js'
import { SHORT_PAUSES } from '../../../base/clock/short-pauses.js'

/** In a build, it is next to this module, too. */
const PYTHON_START = new URL('python-start/', import.meta.url)

/** The pauses of programs take this fraction of their time. */
export const PACE = 20

/** What programs in Python and Node load before they start, so that their pauses are short. */
export class ProgramStart {
  readonly #folder: OwnFolder
  readonly #preload: string

  constructor() {
    this.#folder = createOwnFolder('explore')
    this.#preload = join(this.path, 'start.cjs')
    cpSync(PYTHON_START, this.path, { recursive: true })
    writeFileSync(this.#preload, SHORT_PAUSES)
  }

  /** A folder for what belongs to the runs. */
  get path(): string {
    return this.#folder.path
  }

  /** Whether a program in Python has loaded it. */
  get isLoadedByPython(): boolean {
    return existsSync(join(this.path, 'loaded'))
  }

  /** The variables of a program, with those that it needs to load this. */
  variables({
    PYTHONPATH,
    NODE_OPTIONS,
  }: Readonly<Record<string, string | undefined>>): Record<
    'SVTRAIN_PACE' | 'PYTHONPATH' | 'NODE_OPTIONS',
    string
  > {
    const quoted = `"${this.#preload.replaceAll(/["\\]/g, String.raw`\$&`)}"`
    return {
      SVTRAIN_PACE: String(PACE),
      PYTHONPATH: [this.path, PYTHONPATH].filter(Boolean).join(delimiter),
      NODE_OPTIONS: [NODE_OPTIONS, `--require ${quoted}`].filter(Boolean).join(' '),
    }
  }

  end(): void {
    this.#folder.remove()
  }
}
