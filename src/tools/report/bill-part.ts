import { billOf } from '../bill/bill.js'
import { amountText, bytesText, timeText, tokensText } from '../bill/format.js'
import { pricesOf } from '../bill/known-prices.js'
import type { Content } from './markup.js'
import { facts, notice, table } from './page.js'
import type { ShownWorld } from './shown-world.js'

/** What a world used, and what that costs if its prices are known. Undefined if it used nothing. */
export function billPart(shown: ShownWorld): Content {
  const { world } = shown
  const { models, storage, time, money } = billOf([world], { prices: pricesOf(world) })
  if (models.length === 0) return undefined
  const name = shown.name === undefined ? '' : ` of ${shown.name}`
  const columns = ['Chats', 'Prompt tokens', 'Completion tokens', 'Trained tokens']
  const cost = (amount: number): string => amountText(amount, money?.currency)
  return [
    money !== null &&
      money.unpriced.length > 0 &&
      notice(`Not complete: no price for ${shown.text(money.unpriced.join(', '))}.`, { bad: true }),
    table({
      label: `Bill${name}`,
      columns: [
        'Model',
        ...['Step', ...columns, ...(money ? [money.currency] : [])].map((column) => {
          return { name: column, is: 'number' as const }
        }),
      ],
      rows: models.map((row) => [
        shown.text(row.model),
        row.step ?? '',
        ...[row.chats, row.prompt, row.completion, row.trained].map(tokensText),
        ...(money ? [row.cost === null ? 'no price' : amountText(row.cost)] : []),
      ]),
    }),
    facts([
      ['Trained checkpoints', tokensText(storage.checkpoints)],
      ['Artifacts and files', bytesText(storage.bytes)],
      ['Time', `${timeText(time.total)} on the clock, ${timeText(time.training)} of it in jobs`],
      ['Storage for a month', money !== null && cost(money.storage)],
      ['Hours of training', money !== null && cost(money.training)],
      ['Total', money !== null && cost(money.total)],
    ]),
  ]
}
