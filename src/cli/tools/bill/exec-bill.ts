import { readFile } from 'node:fs/promises'
import { counted } from '../../../base/text/counted.js'
import type { Emulator } from '../../../emulator/emulator.js'
import type { JournalEntry } from '../../../service/engine/journal.js'
import { usedWorlds } from '../../../emulator/testing/used-worlds.js'
import { whyUnreadable } from '../../../service/scenario/why-unreadable.js'
import type { Bill } from '../../../tools/bill/control-schemas.js'
import type { Budget } from '../../../tools/bill/budget.js'
import { BudgetError, PricesError } from '../../../tools/bill/bill-errors.js'
import type { Prices } from '../../../tools/bill/prices-input.js'
import type { ArgumentsOf } from '../../command.js'
import type { exec } from '../../commands/exec.js'
import { printable, printableLines, type Output } from '../../terminal.js'
import { UsageError } from '../../usage-error.js'

/** The exit code of a command that passed, but not within its budget. */
export const OVER_BUDGET = 123

/** What `exec` does with the bill of its command. */
export interface ExecBill {
  /** Prints the bill. Returns whether it is within the budget. */
  end: () => boolean
}

type Figures = Pick<Bill, 'budget' | 'models'>
type Arguments = Pick<ArgumentsOf<typeof exec>, 'bill' | 'budget' | 'steps'>

/**
 * Reads the prices and the budget before the command starts, and says at once when the budget is exceeded. Undefined
 * if nobody asks for a bill.
 *
 * @throws {UsageError} When the prices or the budget cannot be used.
 */
export async function billOfCommand(
  { bill: wanted, budget, steps }: Arguments,
  emulator: Emulator,
  { write, paint }: Output,
): Promise<ExecBill | undefined> {
  if (!wanted && budget === undefined && steps === undefined) return undefined
  const { prices, limit } = await readLimits({ bill: wanted, budget })
  const { billOf, figuresOf } = await import('../../../tools/bill/bill.js')
  if (prices) {
    const { usePrices } = await import('../../../tools/bill/prices-of-emulator.js')
    usePrices(emulator, prices)
  }
  const now = (): Figures => figuresOf(usedWorlds(emulator), { prices, budget: limit })
  const stop = limit === undefined ? () => {} : warnAtOnce(emulator, now, write)
  return {
    end() {
      stop()
      const bill = billOf(usedWorlds(emulator), { prices, budget, steps })
      const text = printableLines(bill.text)
      write(
        bill.budget?.passed === false ? text.replace(/.*$/, (last) => paint('red', last)) : text,
      )
      return bill.budget?.passed !== false
    },
  }
}

/**
 * Reads the prices and the budget.
 *
 * @throws {UsageError} When they cannot be used.
 */
async function readLimits({ bill, budget }: Pick<Arguments, 'bill' | 'budget'>): Promise<{
  prices: Prices | undefined
  limit: Budget | undefined
}> {
  const [{ readBudget }, { readPrices }] = await Promise.all([
    import('../../../tools/bill/budget.js'),
    import('../../../tools/bill/prices.js'),
  ])
  const prices = bill?.value === undefined ? undefined : await pricesIn(bill.value, readPrices)
  const limit =
    budget === undefined ? undefined : usable(() => readBudget(budget, prices?.currency))
  return { prices, limit }
}

async function pricesIn(
  file: string,
  read: (text: string, file: string) => Prices,
): Promise<Prices> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(
      printable(`Failed to read the prices in ${file}: ${whyUnreadable(file, error)}`),
    )
  }
  return usable(() => read(text, file))
}

function usable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof PricesError || error instanceof BudgetError) {
      throw new UsageError(error.message)
    }
    throw error
  }
}

/** Bills of this many rows are made with each chat. Longer ones are made less often, so that chats stay fast. */
const ROWS = 100

/** Says once, while the command runs, that the budget is exceeded. */
function warnAtOnce(emulator: Emulator, now: () => Figures, write: Output['write']): () => void {
  let skip = 0
  let isOver = false
  const look = ({ kind }: JournalEntry): void => {
    if (isOver || (kind !== 'request' && kind !== 'job')) return
    if (skip-- > 0) return
    const { budget, models } = now()
    skip = Math.floor(models.length / ROWS)
    // What has no price is said at the end.
    if (!budget || budget.passed || budget.amount === null) return
    isOver = true
    const jobs = usedWorlds(emulator).reduce((sum, { engine }) => sum + engine.store.jobs.size, 0)
    write(`${budget.text} The command goes on, after ${counted(jobs, 'training job')}.`)
  }
  emulator.journal.subscribe(look)
  emulator.onWorld(({ journal }) => void journal.subscribe(look))
  return () => (isOver = true)
}
