import { counted, groupsOf } from '../../base/text/counted.js'
import type { Emulator } from '../../emulator/emulator.js'
import { readBudget, verdictOf, type Budget } from './budget.js'
import type { Bill, BillEstimate, BillMoney, BillRange, BillRow } from './control-schemas.js'
import { ASSUMPTIONS, rangeOf, whole } from './estimate.js'
import { formatBill } from './format.js'
import type { Prices } from './prices-input.js'
import { bytesIn, priceOf, readPrices } from './prices.js'
import { FEWEST_STEPS } from './steps.js'
import { sum, sumOf, usesOf, type Use, type WorldUse } from './uses.js'

/** What `emulator.bill` takes. */
export interface BillOptions {
  /** Your prices: an object, or the text of a YAML or JSON file. Default: a bill without money. */
  prices?: Prices | string | undefined
  /** Estimates a run of that many steps. A step ends with a training job. */
  steps?: number | undefined
  /** A limit such as `5usd` or `2M-tokens`. */
  budget?: string | undefined
}

type BilledWorld = Pick<Emulator, 'engine'>

/**
 * Makes the bill of worlds.
 *
 * @throws {PricesError} When the prices cannot be used.
 * @throws {BudgetError} When the budget cannot be used.
 */
export function billOf(
  worlds: readonly BilledWorld[],
  { prices: given, steps, budget: limit }: BillOptions = {},
): Bill {
  const prices = given === undefined ? undefined : readPrices(given)
  const budget = limit === undefined ? undefined : readBudget(limit, prices?.currency)
  const bill = figuresOf(worlds, { prices, steps, budget })
  return { ...bill, text: formatBill(bill) }
}

interface FigureOptions {
  readonly prices: Prices | undefined
  readonly steps?: number | undefined
  readonly budget: Budget | undefined
}

/** Makes the bill of worlds without its text, from what was read before. */
export function figuresOf(
  worlds: readonly BilledWorld[],
  { prices, steps, budget }: FigureOptions,
): Omit<Bill, 'text'> {
  const used = worlds.map(usesOf)
  const uses = used.flatMap((each) => each.uses)
  const rows = rowsOf(uses, prices)
  const totals = { ...sumOf(uses), jobs: sum(used, ({ jobs }) => jobs) }
  const storage = {
    checkpoints: sum(used, ({ checkpoints }) => checkpoints.stored),
    bytes: sum(used, ({ bytes }) => bytes.all),
  }
  const time = {
    total: sum(used, ({ total }) => total),
    training: sum(uses, (each) => each.training),
  }
  const money =
    prices === undefined ? null : moneyOf({ rows, storage, training: time.training }, prices)
  const estimated = steps === undefined ? null : estimateOf(used, { steps, prices, money })
  const estimate = typeof estimated === 'string' ? null : estimated
  const bill: Omit<Bill, 'text'> = {
    models: rows,
    totals,
    storage,
    time,
    money,
    estimate,
    budget: null,
    notes: [...forgottenNotes(used), ...(typeof estimated === 'string' ? [estimated] : [])],
  }
  if (budget) bill.budget = verdictOf(budget, bill, steps)
  return bill
}

function forgottenNotes(used: readonly WorldUse[]): string[] {
  const forgotten = sum(used, (each) => each.forgotten)
  if (forgotten === 0) return []
  return [
    `The bill has no trained tokens and no time of the ${counted(forgotten, 'job')} that the emulator forgot: see --keep-jobs.`,
  ]
}

const TOKENS = ['prompt', 'completion', 'trained'] as const

const MILLION = 1_000_000
const GIGABYTE = 1e9
const HOUR = 3_600_000

function rowsOf(uses: readonly Use[], prices: Prices | undefined): BillRow[] {
  // The steps of a model follow each other, in the place of its first one. Projects may have models of the same name.
  const models = groupsOf(uses, ({ model, base }) => JSON.stringify([model, base]))
  return [...models.values()].flatMap((own) => {
    const steps = [...groupsOf(own, ({ step }) => step).values()].map((its): BillRow => {
      const [{ model, base, step }] = its as [Use]
      const row = { model, base, step, ...sumOf(its) }
      return { ...row, cost: prices ? costOf(row, prices) : null }
    })
    return steps.sort((one, other) => (one.step ?? -1) - (other.step ?? -1))
  })
}

type Tokens = Pick<BillRow, 'model' | 'base' | 'prompt' | 'completion' | 'trained'>

/** What tokens cost. Null if a price is missing. */
function costOf(used: Tokens, prices: Prices): number | null {
  const { prompt, completion, trained } = used
  const price = priceOf(prices, used)
  if (prompt + completion + trained === 0) return 0
  if (!price || (trained > 0 && price.trained === undefined)) return null
  return exact(
    (prompt * price.prompt + completion * price.completion + trained * (price.trained ?? 0)) /
      MILLION,
  )
}

/** Leaves out digits that come from binary fractions only. */
function exact(amount: number): number {
  return Number(amount.toPrecision(12))
}

interface BillParts {
  readonly rows: readonly BillRow[]
  readonly storage: Bill['storage']
  readonly training: number
}

function moneyOf({ rows, storage, training: hours }: BillParts, prices: Prices): BillMoney {
  const tokens = exact(sum(rows, ({ cost }) => cost ?? 0))
  const stored = storageCost(storage, prices)
  const training = exact(((prices.training_hour ?? 0) * hours) / HOUR)
  const missing = rows.flatMap((row) => {
    if (row.cost !== null) return []
    return priceOf(prices, row) ? `${row.model} (trained tokens)` : row.model
  })
  return {
    currency: prices.currency,
    tokens,
    storage: stored,
    training,
    total: exact(tokens + stored + training),
    unpriced: [...new Set(missing)],
  }
}

function storageCost({ checkpoints, bytes }: Bill['storage'], { storage }: Prices): number {
  if (!storage) return 0
  const size = storage.checkpoint === undefined ? 0 : bytesIn(storage.checkpoint)
  return exact(((bytes + checkpoints * size) / GIGABYTE) * storage.gb_month)
}

/** Says why there is no estimate. Undefined if there is one. */
function whyNoEstimate(
  { length: worlds, 0: world }: readonly WorldUse[],
  steps: number,
): string | undefined {
  if (worlds > 1) return `${worlds} worlds had training jobs, and an estimate is about one`
  const { jobs = 0, forgotten = 0 } = world ?? {}
  if (forgotten > 0) return `the emulator forgot ${counted(forgotten, 'training job')} of the run`
  if (jobs < FEWEST_STEPS) {
    return `the run had ${counted(jobs, 'training job')}, and an estimate takes ${FEWEST_STEPS} or more`
  }
  return steps > jobs
    ? undefined
    : `the run had ${jobs} training jobs, which is not less than ${steps}`
}

/** Estimates a longer run, or says why that is not possible. */
function estimateOf(
  used: readonly WorldUse[],
  { steps, prices, money }: { steps: number; prices: Prices | undefined; money: BillMoney | null },
): BillEstimate | string {
  const worlds = used.filter(({ jobs }) => jobs > 0)
  const why = whyNoEstimate(worlds, steps)
  if (why !== undefined) return `No estimate: ${why}.`
  const world = worlds[0]!
  const from = world.jobs
  const more = steps - from
  const uses = used.flatMap((each) => each.uses)
  const ranged = (figure: (use: Use) => number, of: readonly Use[] = uses): BillRange => {
    const perStep = Array.from({ length: from }, () => 0)
    let once = 0
    for (const use of of) {
      if (use.period < from) perStep[use.period]! += figure(use)
      else once += figure(use)
    }
    return rangeOf(perStep, more, once)
  }
  const { stored, made } = world.checkpoints
  const checkpoints = keptRange(stored, made / from, { more, low: Math.min(stored, 1) })
  const { all, added } = world.bytes
  const bytes = keptRange(all, added / from, { more, low: all })
  const rest = world.total - sum(world.times, (each) => each)
  const tokens = TOKENS.map((kind) => whole(ranged((use) => use[kind])))
  const [prompt, completion, trained] = tokens as [BillRange, BillRange, BillRange]
  return {
    from,
    to: steps,
    chats: whole(ranged(({ chats }) => chats)),
    prompt,
    completion,
    trained,
    // A part that grows is not seen in a sum with others that vary.
    tokens: sumOfRanges(tokens),
    time: whole(rangeOf(world.times, more, rest)),
    checkpoints,
    bytes,
    money:
      !prices || !money || money.unpriced.length > 0
        ? null
        : sumOfRanges([
            ...[...groupsOf(uses, (use) => priceOf(prices, use))].flatMap(([price, its]) =>
              TOKENS.map((kind) =>
                ranged((use) => (use[kind] * (price?.[kind] ?? 0)) / MILLION, its),
              ),
            ),
            ranged(({ training }) => ((prices.training_hour ?? 0) * training) / HOUR),
            costOfStorage(prices, checkpoints, bytes),
          ]),
    assumes: [...ASSUMPTIONS],
  }
}

/** What is kept, if each step adds as much as so far, and if the program deletes more. */
function keptRange(
  stored: number,
  perStep: number,
  { more, low }: { more: number; low: number },
): BillRange {
  const high = Math.ceil(stored + perStep * more)
  return { low, likely: high, high }
}

function costOfStorage(prices: Prices, checkpoints: BillRange, bytes: BillRange): BillRange {
  const at = (end: keyof BillRange): number => {
    return storageCost({ checkpoints: checkpoints[end], bytes: bytes[end] }, prices)
  }
  return { low: at('low'), likely: at('likely'), high: at('high') }
}

function sumOfRanges(ranges: readonly BillRange[]): BillRange {
  const total = (end: keyof BillRange): number => exact(sum(ranges, (each) => each[end]))
  return { low: total('low'), likely: total('likely'), high: total('high') }
}
