/**
 * Runs each test file without a mutant first, and notes which mutants it reaches. Then it runs the file once
 * for each of these, and at last without a mutant again: if that fails, a mutant left something behind, and
 * what the file says of them does not count. One process does all this, because starting one for each mutant
 * takes longer than the tests.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { RunnerTask, RunnerTestCase, RunnerTestSuite } from 'vitest'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { VitestTestRunner } from 'vitest/runners'
import { killedIn, readNotes, type Note } from './notes.js'

interface Modules {
  getModuleById: (path: string) => object | undefined
  invalidateModule: (module: object) => void
}

interface Switch {
  turnOn: (id: number, inBrowser: boolean) => void
  forget: () => void
  reached: () => Set<number>
}

const mutants = (globalThis as unknown as { __mutants: Switch }).__mutants
const { MUTANT_NOTES: notes = '', MUTANT_PLAN: plan = '' } = process.env
const ALWAYS = Number(process.env['MUTANT_ALWAYS'] ?? 0)
const ROUND = /^(first|last|mutant (\d+))$/

// oxlint-disable-next-line import/no-default-export -- Vitest reads it.
export default class MutantRunner extends VitestTestRunner {
  #reached = new Set<number>()
  readonly #failed = new Set<string>()
  /** Tests that fail without a mutant, such as those that read sources. */
  #broken = new Set<string | undefined>()
  #file = ''
  #ids: readonly number[] = []

  override async importFile(path: string, source: 'collect' | 'setup'): Promise<unknown> {
    if (source === 'setup') return super.importFile(path, source)
    this.#file = relative(process.cwd(), path).replaceAll('\\', '/')
    this.#failed.clear()
    const broken = readNotes(notes).map((each) =>
      each.type === 'broken' && each.file === this.#file ? each.test : undefined,
    )
    this.#broken = new Set(broken)
    const inBrowser = this.#file.startsWith('test/browser/')
    const planned = (JSON.parse(readFileSync(plan, 'utf8')) as Record<string, number[]>)[this.#file]
    this.#ids = planned ?? []
    // A fixture of the process cannot be defined in the group of a round.
    if (inBrowser) await super.importFile(resolve('test/browser/browser-of-suite.ts'), 'setup')
    const killed = killedIn(readNotes(notes))
    const ids = this.#ids.filter((id) => !killed.has(id))
    for (const name of ['first', ...ids.map((id) => `mutant ${id}`), 'last']) {
      const id = idOf(name)
      // oxlint-disable-next-line vitest/valid-title -- It is a string.
      describe(name, async () => {
        mutants.turnOn(id, inBrowser)
        this.#forget(path)
        try {
          await super.importFile(path, source)
        } catch (error) {
          // oxlint-disable-next-line vitest/expect-expect -- It fails always.
          it('loads', () => {
            throw error
          })
        }
        mutants.turnOn(0, inBrowser)
        beforeAll(() => mutants.turnOn(id, inBrowser))
        afterAll(() => mutants.turnOn(0, inBrowser))
      })
    }
    return undefined
  }

  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    const round = roundOf(suite)
    if (round !== undefined && suite.name === round) {
      const id = idOf(round)
      const isSkipped =
        this.#failed.has('first') ||
        (id > 0 && !this.#reached.has(id)) ||
        (round === 'last' && !this.#ids.some((each) => this.#reached.has(each)))
      // What runs while modules load is not reached: to turn it on now has no effect.
      if (round === 'first') mutants.forget()
      if (isSkipped) {
        suite.mode = 'skip'
        if (round === 'last') this.#end()
      } else if (id > 0) note({ type: 'began', id, file: this.#file })
    }
    await super.onBeforeRunSuite(suite)
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    const round = roundOf(test)
    // A suite may have built the page after its round began, without the switch.
    if (round !== undefined) mutants.turnOn(idOf(round), this.#file.startsWith('test/browser/'))
    const isLeftOut = round !== undefined && this.#failed.has(round)
    if (isLeftOut || this.#broken.has(nameOf(test))) test.mode = 'skip'
    await super.onBeforeRunTask(test)
  }

  override onAfterRunTask(test: RunnerTestCase): void {
    this.#judge(test)
    super.onAfterRunTask(test)
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    this.#judge(suite)
    const round = roundOf(suite)
    if (suite.name === round) {
      const id = idOf(round)
      if (round === 'first') this.#reached = mutants.reached()
      else if (id > 0 && suite.mode !== 'skip' && !this.#failed.has(round))
        note({ type: 'passed', id, file: this.#file })
      else if (round === 'last' && suite.mode !== 'skip') this.#end()
    }
    await super.onAfterRunSuite(suite)
  }

  /** Makes the next import of a test file run it again. */
  #forget(path: string): void {
    const { evaluatedModules } = (this as unknown as { workerState: { evaluatedModules: Modules } })
      .workerState
    const module = evaluatedModules.getModuleById(path)
    if (module) evaluatedModules.invalidateModule(module)
  }

  #end(): void {
    note({ type: 'done', file: this.#file, ids: this.#ids })
  }

  #judge(task: RunnerTask): void {
    const round = roundOf(task)
    if (round === undefined || task.result?.state !== 'fail' || this.#failed.has(round)) return
    // A group also fails with its tests, which are judged themselves.
    if (task.type === 'suite' && !task.result.errors?.length) return
    if (round === 'first' && ALWAYS === 0 && task.type === 'test') {
      this.#broken.add(nameOf(task))
      note({ type: 'broken', file: this.#file, test: nameOf(task) })
      return
    }
    this.#failed.add(round)
    const id = idOf(round)
    const by = `${this.#file}: ${task.name}: ${String(task.result.errors?.[0]?.message)}`
    if (id > 0) note({ type: 'failed', id, file: this.#file, by: by.slice(0, 300) })
    else note({ type: 'unsound', file: this.#file, always: ALWAYS, by: by.slice(0, 300) })
  }
}

function note(what: Note): void {
  appendFileSync(notes, `${JSON.stringify(what)}\n`)
}

/** The outermost group of a test, if it is a round of ours. */
function roundOf(task: RunnerTask): string | undefined {
  let at = task
  while (at.suite && at.suite !== task.file) at = at.suite
  return ROUND.test(at.name) ? at.name : undefined
}

/** The name of a test with the names of its groups, without that of the round. */
function nameOf(task: RunnerTask): string {
  const { suite } = task
  return suite && suite !== task.file && suite.name !== roundOf(task)
    ? `${nameOf(suite)} > ${task.name}`
    : task.name
}

function idOf(round: string): number {
  return Number(ROUND.exec(round)?.[2] ?? 0)
}
