import { relative, resolve } from 'node:path'
import { readScenarioFile } from '../../service/scenario/scenario-file.js'
import {
  problemText,
  ScenarioError,
  type ScenarioProblem,
} from '../../service/scenario/scenario-error.js'
import { counted } from '../../base/text/counted.js'
import { listScenarioFiles, type ScenarioFiles } from '../scenario-files.js'
import { interruption, printable, type Terminal } from '../terminal.js'
import { textOfFile } from '../text-of-file.js'
import { UsageError } from '../usage-error.js'
import { WatchedFolders } from './watched-folders.js'

/**
 * Checks scenario files, and checks them again after each change, until the process is interrupted. The text has
 * one block for each check. Editors read it: `path:line:column: message`.
 */
export async function watchScenarios(
  written: readonly string[],
  { write }: Terminal,
): Promise<number> {
  const stopped = interruption()
  const watching = new Watching(written, write)
  await watching.start()
  await stopped
  watching.stop()
  return 0
}

class Watching {
  readonly #written: readonly string[]
  readonly #write: (line: string) => void
  /** The contents at the last check, by path. Undefined: there is no such file. */
  #contents = new Map<string, string | undefined>()
  /** The files that were read, also those that others extend. */
  #read = new Set<string>()
  #files: readonly string[] = []
  readonly #folders: WatchedFolders

  constructor(written: readonly string[], write: (line: string) => void) {
    this.#written = written
    this.#write = write
    const again = (): Promise<void> => this.#again()
    let running: Promise<void> = Promise.resolve()
    this.#folders = new WatchedFolders(() => {
      running = running.then(again, again)
      return running
    })
  }

  async start(): Promise<void> {
    const listed = listScenarioFiles(this.#written)
    await this.#check(listed, [])
    this.#follow(listed)
  }

  stop(): void {
    this.#folders.close()
  }

  async #again(): Promise<void> {
    let listed: ScenarioFiles
    try {
      listed = listScenarioFiles(this.#written)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      listed = { files: [], folders: this.#written }
    }
    const changed = this.#changedSince(listed.files)
    if (changed.length > 0) await this.#check(listed, changed)
    this.#follow(listed)
  }

  /** The files that changed, appeared or disappeared since the last check. */
  #changedSince(files: readonly string[]): string[] {
    const before = new Set(this.#files.map((file) => resolve(file)))
    const now = new Set(files.map((file) => resolve(file)))
    const paths = new Set([...before, ...now, ...this.#read])
    return [...paths].filter(
      // A file that disappeared during the last check had no content then, either.
      (path) => before.has(path) !== now.has(path) || this.#contents.get(path) !== textOfFile(path),
    )
  }

  async #check({ files }: ScenarioFiles, changed: readonly string[]): Promise<void> {
    const why = changed.length === 0 ? '' : `: ${changed.map(shown).join(', ')} changed`
    this.#write(`Checking ${counted(files.length, 'file')}${why}`)
    this.#files = files
    this.#read = new Set()
    this.#contents = new Map(files.map((file) => [resolve(file), textOfFile(resolve(file))]))
    const problems = new Set<string>()
    for (const file of files) {
      try {
        await readScenarioFile(file, (path) => this.#remember(path))
      } catch (error) {
        if (!(error instanceof ScenarioError)) throw error
        // Two files can extend the same wrong file.
        for (const line of problemLines(error, file)) problems.add(line)
      }
    }
    problems.forEach((line) => this.#write(line))
    const count = problems.size === 0 ? 'no problems' : counted(problems.size, 'problem')
    this.#write(`Checked ${counted(files.length, 'file')}: ${count}`)
  }

  #remember(path: string): void {
    this.#read.add(path)
    if (!this.#contents.has(path)) this.#contents.set(path, textOfFile(path))
  }

  #follow({ files, folders }: ScenarioFiles): void {
    this.#folders.follow(folders, [...files.map((file) => resolve(file)), ...this.#read])
  }
}

function shown(path: string): string {
  return printable(relative('', path) || path)
}

/** One line for each problem. A problem without a place is on the first line, so that editors show it. */
function problemLines(error: ScenarioError, file: string): string[] {
  const problems: readonly ScenarioProblem[] =
    error.problems.length > 0 ? error.problems : [{ place: '', message: error.heading }]
  return problems.map((problem) => {
    const { line = 1, column = 1 } = problem
    const path = problem.file ?? shown(resolve(file))
    return printable(`${path}:${line}:${column}: ${problemText(problem)}`)
  })
}
