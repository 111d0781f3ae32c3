import { boolean, number, string } from '../../service/contract/pydantic/scalars.js'
import { optional, required } from '../../service/contract/pydantic/fields.js'
import { boundedInteger, integer } from '../../service/contract/pydantic/integer.js'
import { list, nullable } from '../../service/contract/pydantic/containers.js'
import { model } from '../../service/contract/pydantic/model.js'
import type { Infer } from '../../service/contract/pydantic/schema.js'
import { union } from '../../service/contract/pydantic/union.js'
import { controlBody, objectOf } from '../../emulator/control/schemas/body-and-query.js'
import type { Prices } from './prices-input.js'
import { MOST_STEPS } from './steps.js'

/** The schemas of bills over the control API. */

export const billRequest = controlBody('BillRequest', {
  prices: optional(union([string, objectOf<Prices>()]), {
    description: 'Your prices: an object, or the text of a YAML or JSON file.',
  }),
  steps: optional(boundedInteger({ ge: 1, le: MOST_STEPS }), {
    description: 'Estimates a run of that many steps. A step ends with a training job.',
  }),
  budget: optional(string, { description: 'A limit such as `5usd` or `2M-tokens`.' }),
})

const tokens = {
  chats: required(integer, { description: 'How many chats a model answered.' }),
  prompt: required(integer, { description: 'Tokens of prompts.' }),
  completion: required(integer, { description: 'Tokens of answers.' }),
  trained: required(integer, { description: 'Tokens of answers that jobs trained on.' }),
}

const row = model('BillRow', {
  model: required(string, { description: 'The name of the model; the id of a base model.' }),
  base: required(nullable(string), { description: 'The id of its base model. Null: unknown.' }),
  step: required(nullable(integer), {
    description: 'The step of the checkpoint that answered, or that a job added. Null: none.',
  }),
  ...tokens,
  cost: required(nullable(number), {
    description: 'What the tokens cost. Null without prices, and if a price is missing.',
  }),
})

const money = model('BillMoney', {
  currency: required(string, { description: 'The currency of the prices.' }),
  tokens: required(number, { description: 'What the tokens cost.' }),
  storage: required(number, { description: 'What is kept at the end, for one month.' }),
  training: required(number, { description: 'The hours in which jobs ran.' }),
  total: required(number, { description: 'The sum. Without what has no price.' }),
  unpriced: required(list(string), {
    description: 'Models without a price. With any, the total is not complete.',
  }),
})

const range = model('BillRange', {
  low: required(number, { description: 'The lower end.' }),
  likely: required(number, { description: 'With steps like the mean of the observed ones.' }),
  high: required(number, { description: 'The upper end.' }),
})

const estimate = model('BillEstimate', {
  from: required(integer, { description: 'How many steps were observed: training jobs.' }),
  to: required(integer, { description: 'How many steps the longer run has.' }),
  chats: range,
  prompt: range,
  completion: range,
  trained: range,
  tokens: required(range, { description: 'All tokens together.' }),
  time: required(range, { description: 'Milliseconds on the clock of the emulator.' }),
  checkpoints: required(range, { description: 'Trained checkpoints that are kept.' }),
  bytes: required(range, { description: 'Bytes of artifacts and files of runs.' }),
  money: required(nullable(range), { description: 'Null without prices for all models.' }),
  assumes: required(list(string), { description: 'What it assumes, as sentences.' }),
})

const totals = model('BillTotals', {
  ...tokens,
  jobs: required(integer, { description: 'How many training jobs there were.' }),
})

const verdict = model('BudgetVerdict', {
  limit: required(string, { description: 'The budget, such as `5usd`.' }),
  amount: required(nullable(number), {
    description: 'What was compared with it: money, or tokens. Null: unknown.',
  }),
  passed: required(boolean, { description: 'Whether it is within the budget.' }),
  text: required(string, { description: 'The verdict as a sentence.' }),
})

export const bill = model('Bill', {
  models: required(list(row), {
    description: 'By model and step: what was used first comes first.',
  }),
  totals,
  storage: model('BillStorage', {
    checkpoints: required(integer, { description: 'Trained checkpoints that are kept.' }),
    bytes: required(integer, { description: 'Bytes of artifacts and files of runs.' }),
  }),
  time: required(
    model('BillTime', {
      total: required(number, { description: 'The time of the world.' }),
      training: required(number, { description: 'How long its jobs ran.' }),
    }),
    { description: 'Milliseconds on the clock of the emulator.' },
  ),
  money: required(nullable(money), { description: 'Null without prices.' }),
  estimate: required(nullable(estimate), {
    description: 'Null without `steps`, and if there is no estimate.',
  }),
  budget: required(nullable(verdict), { description: 'Null without a budget.' }),
  notes: required(list(string), {
    description: 'What the figures do not say, such as why there is no estimate.',
  }),
  text: required(string, { description: 'The bill as text.' }),
})

/** What one model used at one step. */
export type BillRow = Infer<typeof row>
/** What all models used. */
export type BillTotals = Infer<typeof totals>
/** What a run costs with the prices of its user. */
export type BillMoney = Infer<typeof money>
/** What a figure may become. */
export type BillRange = Infer<typeof range>
/** What a longer run would use. */
export type BillEstimate = Infer<typeof estimate>
/** Whether a bill stays within its budget. */
export type BudgetVerdict = Infer<typeof verdict>
/** What a run used, and what that costs. docs/reference/control.md describes its fields. */
export type Bill = Infer<typeof bill>
