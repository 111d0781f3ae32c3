import { counted, groupsOf } from '../../base/text/counted.js'
import type { Bill, BillEstimate, BillRange, BillRow } from './control-schemas.js'
import { sum, sumOf } from './uses.js'

/** More rows than these are added up by model. */
const MOST_ROWS = 20

/** Formats a bill as text, without a line end. */
export function formatBill(bill: Omit<Bill, 'text'>): string {
  const { totals, storage, time, money, estimate, budget, notes } = bill
  const { chats, jobs, ...tokens } = totals
  const currency = money?.currency
  const cost = (amount: number | undefined): string => {
    return currency === undefined || amount === undefined ? '' : `: ${amountText(amount, currency)}`
  }
  return [
    `Bill: ${counted(chats, 'chat')}, ${counted(jobs, 'training job')}`,
    ...tableLines(bill, tokens),
    `Kept: ${counted(storage.checkpoints, 'trained checkpoint')}, and ${bytesText(storage.bytes)} of artifacts and files${cost(money?.storage)}${money ? ' for a month' : ''}`,
    `Time: ${timeText(time.total)} on the clock of the emulator. Jobs ran for ${timeText(time.training)}${cost(money?.training)}`,
    ...(money ? [`Total: ${amountText(money.total, money.currency)}`] : []),
    ...(money && money.unpriced.length > 0
      ? [`Not complete: no price for ${money.unpriced.join(', ')}`]
      : []),
    ...(estimate ? estimateLines(estimate, currency) : []),
    ...notes,
    ...(budget ? [budget.text] : []),
  ].join('\n')
}

type Tokens = Pick<BillRow, 'prompt' | 'completion' | 'trained'>

/** A row as it is shown. */
type ShownRow = Omit<BillRow, 'base' | 'step'> & { readonly step: string }

function tableLines({ models, totals, money }: Omit<Bill, 'text'>, tokens: Tokens): string[] {
  if (models.length === 0) return []
  const rows = models.length > MOST_ROWS ? byModel(models) : models.map(shownRow)
  const all = { model: 'all', step: '', chats: totals.chats, ...tokens }
  const cells = (row: ShownRow): string[] => [
    row.model,
    row.step,
    ...[row.chats, row.prompt, row.completion, row.trained].map(tokensText),
    ...(money ? [row.cost === null ? 'no price' : amountText(row.cost)] : []),
  ]
  const names = ['model', 'step', 'chats', 'prompt', 'completion', 'trained']
  return aligned([
    money ? [...names, money.currency] : names,
    ...[...rows, { ...all, cost: money?.tokens ?? null }].map(cells),
  ])
}

function shownRow(row: BillRow): ShownRow {
  return { ...row, step: row.step === null ? '-' : String(row.step) }
}

function byModel(rows: readonly BillRow[]): ShownRow[] {
  return Array.from(
    groupsOf(rows, ({ model }) => model),
    ([model, its]) => {
      const isPriced = its.every(({ cost }) => cost !== null)
      const cost = isPriced ? sum(its, (row) => row.cost ?? 0) : null
      return { model, step: 'all', ...sumOf(its), cost }
    },
  )
}

/** Lines with columns: the first to the left, all others to the right. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column]!
      return column === 0 ? cell.padEnd(width) : cell.padStart(width)
    })
    return `  ${cells.join('  ')}`
  })
}

function estimateLines(estimate: BillEstimate, currency: string | undefined): string[] {
  const { from, to, money, assumes } = estimate
  const range = (name: string, { low, likely, high }: BillRange, text = tokensText): string[] => {
    return [name, text(low), '-', text(high), `likely ${text(likely)}`]
  }
  return [
    `Estimate of ${to} steps, from ${from}:`,
    ...aligned([
      range('chats', estimate.chats),
      range('prompt', estimate.prompt),
      range('completion', estimate.completion),
      range('trained', estimate.trained),
      range('time', estimate.time, timeText),
      range('checkpoints', estimate.checkpoints),
      range('files', estimate.bytes, bytesText),
      ...(money && currency !== undefined
        ? [range(currency, money, (amount) => amountText(amount))]
        : []),
    ]),
    'It assumes:',
    ...assumes.map((each) => `  ${each}`),
  ]
}

/** Formats a count: `12,345`. */
export function tokensText(count: number): string {
  return count.toLocaleString('en-US')
}

/** Formats an amount of money: `0.0123`, or `5.20 usd`. Small amounts have more digits. */
export function amountText(amount: number, currency?: string): string {
  const digits = amount === 0 || amount >= 1 ? 2 : Math.min(8, 2 - Math.floor(Math.log10(amount)))
  const text = amount.toLocaleString('en-US', {
    minimumFractionDigits: Math.min(2, digits),
    maximumFractionDigits: digits,
  })
  return currency === undefined ? text : `${text} ${currency}`
}

const SIZES = [
  [1e9, 'GB'],
  [1e6, 'MB'],
] as const

/** Formats a size: `1.2 MB`. */
export function bytesText(bytes: number): string {
  const [size, unit] = SIZES.find(([least]) => bytes >= least) ?? [1e3, 'kB']
  return `${(bytes / size).toLocaleString('en-US', { maximumFractionDigits: 1 })} ${unit}`
}

/** Formats a time in milliseconds: `2h 5m`, `3m 20s`, `1.2s`. */
export function timeText(ms: number): string {
  const tenths = Math.round(ms / 100)
  if (tenths < 600) return `${tenths / 10}s`
  const whole = Math.round(ms / 1000)
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${whole % 60}s`
  return `${Math.floor(whole / 3600).toLocaleString('en-US')}h ${Math.floor((whole % 3600) / 60)}m`
}
