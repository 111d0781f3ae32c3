import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { writeSnapshotFile } from '../../src/emulator/adapters/snapshot-file.js'
import { createEmulator } from '../../src/index.js'
import { Draw } from '../support/draw.js'
import { folderDamages, snapshotDamages } from './damages.js'
import { CalledProcess } from './called-process.js'
import { Ledger, type TrialOptions } from './ledger.js'

export interface DamagedOptions extends TrialOptions {
  /** The number of starts. */
  count: number
}

/** How long a start may take until the port is open or the command has ended. */
const LONGEST_START = 20_000

/** Starts of the command with data folders and snapshots that are damaged. */
export class Damaged {
  readonly ledger = new Ledger()
  readonly #options: DamagedOptions
  readonly #folder = mkdtempSync(join(tmpdir(), 'svtrain-damaged-'))

  constructor(options: DamagedOptions) {
    this.#options = options
  }

  async run(): Promise<void> {
    const { count, seed, progress = () => {} } = this.#options
    const kinds = [
      ...Object.keys(folderDamages).map((how) => ({ option: '--data', how }) as const),
      ...Object.keys(snapshotDamages).map((how) => ({ option: '--import', how }) as const),
    ]
    try {
      await saveWorlds(this.#folder)
      for (let index = 0; index < count; index++) {
        const { option, how } = kinds[index % kinds.length]!
        const draw = new Draw(seed, `damage ${index}`)
        const path = join(this.#folder, `damaged-${index}`)
        cpSync(join(this.#folder, option === '--data' ? 'data' : 'snapshot'), path, {
          recursive: true,
        })
        const damages = option === '--data' ? folderDamages : snapshotDamages
        damages[how]!({ path, other: join(this.#folder, 'other'), draw })
        const what = `${option} with ${how}`
        const outcome = await this.#start({ what, option, path })
        progress(`${what}: ${outcome.replaceAll(`${this.#folder}/`, '')}`)
      }
    } finally {
      rmSync(this.#folder, { recursive: true, force: true })
    }
  }

  /** Returns what became of it, in a line. */
  async #start({ what, option, path }: Start): Promise<string> {
    const before = contentOf(path)
    const process = new CalledProcess(basename(path), this.#folder, [`${option}=${path}`])
    try {
      const late = setTimeout(() => {
        this.ledger.find('process', `It neither works nor ends in ${LONGEST_START} ms`, what)
        void process.stop()
      }, LONGEST_START)
      const works = await process.ready().then(
        () => true,
        () => false,
      )
      clearTimeout(late)
      if (works) await this.#use(process, what)
      else this.#judgeRefusal(process, what, path)
      if (/^\s+at .*:\d+/m.test(process.output)) {
        this.ledger.find('process', `It printed a stack: ${process.output}`, what)
      }
      if ((!works || option === '--import') && contentOf(path) !== before) {
        this.ledger.find('kept', `The original was changed: ${process.output}`, what)
      }
      return works ? 'works' : process.output.trim()
    } finally {
      await process.stop()
    }
  }

  /** A command that starts answers, and ends as it should. */
  async #use(process: CalledProcess, what: string): Promise<void> {
    this.ledger.count('starts that work')
    const { training } = process.urls
    const control = training.replace(/\/v1$/, '/_emulator')
    const answers = [
      await process.get(`${training}/health`),
      await process.get(`${control}/models`),
      await process.get(`${control}/artifacts`),
    ]
    const statuses = answers.map((answer) => answer?.status)
    if (statuses.some((status) => status !== 200)) {
      this.ledger.find('answers', `It answers ${statuses.join(', ')}`, what)
    }
    const { code } = await process.terminate()
    if (code !== 0) this.ledger.find('process', `SIGTERM ends it with ${code}`, what)
    this.ledger.count('calls without an answer', process.unanswered)
  }

  #judgeRefusal({ code, output }: CalledProcess, what: string, path: string): void {
    this.ledger.count('starts that are refused')
    if (code === 0 || code === null) this.ledger.find('process', `It ended with ${code}`, what)
    if (!output.includes(path)) {
      this.ledger.find('process', `The error does not name ${path}: ${output}`, what)
    }
  }
}

interface Start {
  /** Names it in findings. */
  what: string
  option: '--data' | '--import'
  path: string
}

/** Writes a data folder, another one, and a snapshot of the first one. */
async function saveWorlds(folder: string): Promise<void> {
  for (const name of ['data', 'other']) {
    const emulator = createEmulator({ data: join(folder, name), clock: 'manual' })
    await emulator.models.create({ name })
    await emulator.jobs.start({ model: name })
    const files = { 'train.jsonl': `rows of ${name}`, 'readme.md': `about ${name}` }
    await emulator.artifacts.put({ name: 'rows', files })
    emulator.clock.advance('1h')
    await emulator.webhooks.idle()
    if (name === 'data') {
      const snapshot = await emulator.snapshot()
      writeSnapshotFile(join(folder, 'snapshot'), snapshot)
    }
    await emulator.close()
  }
}

/** All that is at a path, as a text that can be compared. */
function contentOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory() !== true) return found ? readFileSync(path, 'latin1') : 'nothing'
  const names = readdirSync(path, { recursive: true, withFileTypes: true })
  return names
    .map((entry) => {
      const file = join(entry.parentPath, entry.name)
      return `${file} ${entry.isFile() ? readFileSync(file, 'latin1') : 'a folder'}`
    })
    .sort()
    .join('\n')
}
