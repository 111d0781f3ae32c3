import { appendFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Copy } from './copy.js'
import { killedIn, readNotes, type Note } from './notes.js'
import type { Entry } from './sample.js'

/** The test file that killed a mutant in an earlier run, by the number of the mutant. */
export type Killers = Readonly<Record<string, string>>

export interface Verdict {
  readonly id: number
  readonly killed: boolean
  /** Whether the tests took too long, or a test of the mutant did. */
  readonly byTime: boolean
  /** Whether a test runs the code. */
  readonly reached: boolean
  /** The test that failed, and how. */
  readonly by?: string
}

/** How long a run may say nothing, in milliseconds. Then the mutant is a loop without end. */
const SILENCE = 240_000
/** The number of test files that run for a mutant of code that runs while modules load. */
const MOST_ALONE = 12
const NEAREST = 3
const NOT_RUN = /^test\/(?:package|interop|soak|mutation|bench|golden|fixtures|support)\//

/** Runs tests against mutants, and remembers in the folder of the copy what they say. */
export class Judge {
  readonly #copy: Copy
  readonly #entries: readonly Entry[]
  readonly #killers: Killers
  readonly #say: (text: string) => void
  readonly #notes: string
  readonly #tests: readonly string[]

  constructor(
    copy: Copy,
    entries: readonly Entry[],
    { killers, say }: { killers: Killers; say: (text: string) => void },
  ) {
    this.#copy = copy
    this.#entries = entries
    this.#killers = killers
    this.#say = say
    this.#notes = join(copy.folder, 'notes.ndjson')
    const all = readdirSync(join(copy.folder, 'test'), { recursive: true, encoding: 'utf8' })
    this.#tests = all
      .map((name) => `test/${name.replaceAll('\\', '/')}`)
      .filter((name) => name.endsWith('.test.ts') && !NOT_RUN.test(name))
      .sort((a, b) => slowness(a) - slowness(b) || (a < b ? -1 : 1))
    if (!existsSync(this.#notes)) this.forget()
  }

  /** Forgets the verdicts of earlier runs. */
  forget(): void {
    writeFileSync(this.#notes, '')
  }

  /** Runs the test file that killed a mutant before. It does again, unless it changed. */
  async killers(): Promise<void> {
    await this.#runAll((file, entry) => this.#killers[entry.id] === file)
    // A module that is loaded on demand is reached, but the mutant was not on while it loaded.
    await this.alone({
      testsFor: ({ id }) => [this.#killers[id]].filter((file) => file !== undefined),
      isReachedToo: true,
    })
  }

  /** Runs the tests whose names are nearest, which kill most mutants. */
  async nearest(): Promise<void> {
    const nearest = new Map(
      this.#entries.map((entry) => [entry, this.#byNearness(entry).slice(0, NEAREST)]),
    )
    await this.#runAll((file, entry) => nearest.get(entry)!.includes(file))
  }

  /** Runs the tests of the same folder. */
  async near(): Promise<void> {
    await this.#runAll((file, entry) => folderOf(file) === folderOf(entry.file))
  }

  /** Runs all other tests against what is left. */
  async far(): Promise<void> {
    await this.#runAll((file, entry) => folderOf(file) !== folderOf(entry.file))
  }

  /** Turns on each mutant that no test reaches from the start: its code may run while modules load. */
  async alone({
    testsFor = (entry: Entry): string[] => this.#byNearness(entry).slice(0, MOST_ALONE),
    isReachedToo = false,
  } = {}): Promise<void> {
    for (const entry of this.#entries) {
      const { id, killed, reached } = this.#verdict(entry)
      const notes = this.#read()
      const doubtful = notes.flatMap((note) =>
        note.type === 'failed' && note.id === id ? [note.file] : [],
      )
      const tried = notes.flatMap((note) =>
        note.type === 'alone' && note.id === id ? note.file.split(' ') : [],
      )
      if (killed || (reached && !isReachedToo && doubtful.length === 0)) continue
      const files = (doubtful.length > 0 ? doubtful : testsFor(entry)).filter((file) => {
        return !tried.includes(file)
      })
      if (files.length === 0) continue
      await this.#run({}, files, { MUTANT_ALWAYS: String(id) })
      const failed = this.#read().find((note) => note.type === 'unsound' && note.always === id)
      if (failed?.type === 'unsound')
        this.#note({ type: 'killed', id, file: failed.file, by: failed.by })
      this.#note({ type: 'alone', id, file: files.join(' ') })
    }
  }

  verdicts(): Verdict[] {
    return this.#entries.map((entry) => this.#verdict(entry))
  }

  #verdict({ id }: Entry): Verdict {
    const notes = this.#read()
    const own = notes.filter((note) => 'id' in note && note.type !== 'alone' && note.id === id)
    const by = killedIn(notes).get(id)
    return {
      id,
      killed: by !== undefined,
      byTime: /: (?:Test|Hook) timed out in |: no answer$/.test(by ?? ''),
      reached: own.length > 0,
      ...(by !== undefined && { by }),
    }
  }

  /** Runs each test file with the mutants that a condition gives it, and without those that are killed. */
  async #runAll(belongs: (file: string, entry: Entry) => boolean): Promise<void> {
    for (;;) {
      const notes = this.#read()
      const settled = new Set(
        notes.map((note) =>
          'id' in note && note.type !== 'began' ? `${note.id} ${note.file}` : '',
        ),
      )
      const finished = new Set(
        notes.map((note) => note.type === 'unsound' && note.always === 0 && note.file),
      )
      const alive = this.#entries.filter((entry) => !this.#verdict(entry).killed)
      const plan: Record<string, number[]> = {}
      for (const file of this.#tests) {
        if (finished.has(file)) continue
        const passed = new Set(
          notes.flatMap((note) => (note.type === 'done' && note.file === file ? note.ids : [])),
        )
        const ids = alive
          .filter((entry) => belongs(file, entry) && !passed.has(entry.id))
          .map(({ id }) => id)
          .filter((id) => !settled.has(`${id} ${file}`))
        if (ids.length > 0) plan[file] = ids
      }
      const files = Object.keys(plan)
      if (files.length === 0) return
      this.#say(`${files.length} test files, ${alive.length} mutants left.`)
      await this.#run(plan, files)
      this.#settle(files)
    }
  }

  /** What was running when a run ended is killed, or its test file is left out. */
  #settle(files: readonly string[]): void {
    const notes = this.#read()
    const done = new Set(notes.map((note) => note.type === 'done' && note.file))
    const last = notes.at(-1)
    if (last?.type === 'began') {
      const { id, file } = last
      this.#note({ type: 'failed', id, file, by: `${file}: no answer` })
    } else {
      const next = files.find((file) => !done.has(file))
      if (next !== undefined)
        this.#note({ type: 'unsound', file: next, always: 0, by: 'no answer' })
    }
  }

  async #run(
    plan: Readonly<Record<string, number[]>>,
    files: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const planFile = join(this.#copy.folder, 'plan.json')
    writeFileSync(planFile, JSON.stringify(plan))
    const preload = pathToFileURL(join(import.meta.dirname, 'switch.mjs')).href
    const args = [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config=test/mutation/vitest.config.ts',
    ]
    const { output } = await this.#copy.run([...args, '--reporter=dot'], {
      env: {
        NODE_OPTIONS: `--import=${preload}`,
        MUTANT_HITS: join(this.#copy.folder, 'hits.txt'),
        MUTANT_NOTES: this.#notes,
        MUTANT_PLAN: planFile,
        MUTANT_PAGE: join(this.#copy.folder, 'dist', 'dashboard', 'assets', 'main.js'),
        MUTANT_TESTS: files.join('\n'),
        ...env,
      },
      silence: { file: this.#notes, most: SILENCE },
    })
    writeFileSync(join(this.#copy.folder, 'last-run.txt'), output)
  }

  #byNearness({ file }: Entry): string[] {
    const near = new Map(this.#tests.map((test) => [test, nearness(file, test)]))
    return [...this.#tests].sort((a, b) => near.get(b)! - near.get(a)!)
  }

  #read(): Note[] {
    return readNotes(this.#notes)
  }

  #note(note: Note): void {
    appendFileSync(this.#notes, `${JSON.stringify(note)}\n`)
  }
}

/** The folder of a test is the folder of what it tests. The tests of the dashboard need a browser. */
function folderOf(path: string): string {
  const folders = dirname(path).split('/').slice(1, 3).join('/')
  return folders === 'browser' ? 'dashboard' : folders
}

/** How near a test file is to a source: the folders and the words of the names that they share. */
function nearness(source: string, test: string): number {
  const words = wordsOf(source)
  const shared = [...wordsOf(test)].filter((word) => words.has(word)).length
  const isSame = basename(source).split('.', 1)[0] === basename(test).split('.', 1)[0]
  const inFolder = folderOf(source) === folderOf(test) ? 3 : 0
  return inFolder + shared + (isSame ? 3 : 0) - slowness(test) / 5
}

function wordsOf(path: string): Set<string> {
  const words = path.replace(/(?:\.test)?\.\w+$/, '').split(/\W/)
  return new Set(words.slice(1).map((word) => word.replace(/s$/, '')))
}

/** Tests that start processes and browsers, or try random input, come last: most mutants are killed by then. */
function slowness(test: string): number {
  const [, folder] = test.split('/')
  const place = ['adapters', 'cli', 'runners', 'docs', 'build', 'browser'].indexOf(folder!) + 1
  return place + (/\/(?:any|hostile)\b/.test(test) ? 10 : 0)
}
