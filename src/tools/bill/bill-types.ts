import type { BillRange } from './estimate.js'

/** What one model used at one step. */
export interface BillRow {
  /** The name of the model; the id of a base model. */
  model: string
  /** The id of its base model. Null if it is unknown. */
  base: string | null
  /** The step of the checkpoint that answered, or that a job added. Null if there is none. */
  step: number | null
  /** The number of chats. */
  chats: number
  /** Tokens of prompts. */
  prompt: number
  /** Tokens of answers. */
  completion: number
  /** Tokens of answers that jobs trained on. */
  trained: number
  /** What the tokens cost. Null without prices, and if a price is missing. */
  cost: number | null
}

/** What all models used. */
export interface BillTotals extends Pick<BillRow, 'chats' | 'prompt' | 'completion' | 'trained'> {
  /** The number of training jobs. */
  jobs: number
}

/** What a run costs with the prices of its user. */
export interface BillMoney {
  /** The currency of the prices. */
  currency: string
  /** What the tokens cost. */
  tokens: number
  /** What is kept at the end, for one month. */
  storage: number
  /** The hours in which jobs ran. */
  training: number
  /** The sum. Without what has no price. */
  total: number
  /** The names of models without a price. The total is not complete if there are any. */
  unpriced: string[]
}

/** What a longer run would use. */
export interface BillEstimate {
  /** The number of observed steps: training jobs. */
  from: number
  /** The number of steps of the longer run. */
  to: number
  /** The number of chats. */
  chats: BillRange
  /** Tokens of prompts. */
  prompt: BillRange
  /** Tokens of answers. */
  completion: BillRange
  /** Tokens of answers that jobs trained on. */
  trained: BillRange
  /** All tokens together. */
  tokens: BillRange
  /** Milliseconds on the clock of the emulator. */
  time: BillRange
  /** Trained checkpoints that are kept. */
  checkpoints: BillRange
  /** Bytes of artifacts and files of runs. */
  bytes: BillRange
  /** The money. Null without prices, and if a model has none. */
  money: BillRange | null
  /** What the estimate assumes, as sentences. */
  assumes: string[]
}

/** What a run used, and what that costs. */
export interface Bill {
  /** By model and step: what was used first comes first. */
  models: BillRow[]
  /** The sums of all models. */
  totals: BillTotals
  /** Trained checkpoints that are kept, and the bytes of artifacts and of files of runs. */
  storage: { checkpoints: number; bytes: number }
  /** Milliseconds on the clock of the emulator: of the world, and of its jobs while they ran. */
  time: { total: number; training: number }
  /** Null without prices. */
  money: BillMoney | null
  /** Null if no longer run was asked for, or if there is no estimate. */
  estimate: BillEstimate | null
  /** Null without a budget. */
  budget: BudgetVerdict | null
  /** What the figures do not say, such as why there is no estimate. */
  notes: string[]
  /** The bill as text. */
  text: string
}

/** Whether a bill stays within its budget. */
export interface BudgetVerdict {
  /** The budget, such as `5usd`. */
  limit: string
  /** What was compared with it: money, or tokens. Null if that is unknown. */
  amount: number | null
  /** Whether the amount is known and within the budget. */
  passed: boolean
  /** The verdict as a sentence. */
  text: string
}
