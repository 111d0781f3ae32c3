import { writeFile } from 'node:fs/promises'
import type { MadeScenario } from '../../../tools/recording/scenario-from.js'
import type { Context } from '../../context.js'
import { shellWord } from '../../shell-word.js'
import { printable } from '../../terminal.js'
import { UsageError } from '../../usage-error.js'
import { makeFolderOf } from '../../write-in-folder.js'

/** A scenario to write, and where it comes from. */
export interface WrittenScenario
  extends
    Pick<MadeScenario, 'text' | 'scenario' | 'missing'>,
    Partial<Pick<MadeScenario, 'losses' | 'clock'>> {
  readonly source: string
  /** Whether it is a job of the service. */
  readonly isJob?: boolean
  /** How to save the file again. Default: record until it is over. */
  readonly advice?: string | undefined
  /** The seed with which the same happens again. Undefined: any. */
  readonly seed?: number
  /** The command of the run that it comes from. */
  readonly again?: string | undefined
}

/**
 * Writes the file of a scenario, and says what to do with it. Returns the exit code.
 *
 * @throws {UsageError} When the file exists, and nobody said that it may be replaced.
 */
export async function saveScenario(
  { text, scenario, seed, again, clock = 'instant' }: WrittenScenario,
  to: string,
  {
    force,
    context,
  }: { force: boolean | undefined; context: Pick<Context, 'terminal' | 'program'> },
): Promise<number> {
  const { terminal, program } = context
  const { write, writeError } = terminal
  let also: string
  try {
    also = await makeFolderOf(to)
    await writeFile(to, text, { flag: force ? 'w' : 'wx' })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') {
      throw new UsageError(`${to} exists already. Choose another file, or replace it with --force.`)
    }
    writeError(printable(`Failed to write ${to}: ${message}.`))
    return 1
  }
  const file = printable(shellWord(/[\\/]/.test(to) ? to : `./${to}`))
  const seeded = seed === undefined ? file : `${file} --seed ${seed}`
  write(`Wrote ${printable(to)}.${also} Try it: ${program} play ${seeded}`)
  // Its webhooks have no addresses.
  const sink = scenario.webhooks.some(({ url }) => url === undefined) ? ' --sink' : ''
  const test = printable(again ?? `--clock ${clock}${sink} -- <your test>`)
  write(`Then run your test with it: ${program} exec --scenario ${seeded} ${test}`)
  return 0
}
