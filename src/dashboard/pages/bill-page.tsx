import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { AnswerOf, Call } from '../../emulator/control/client/call.js'
import type { BillOperation } from '../../tools/bill/control-client.js'
import { call } from '../data/control.js'
import { useLoaded } from '../data/use-loaded.js'
import { useReloadOn } from '../data/use-reload-on.js'
import { countColumn, LiveTable, type Column } from '../parts/live-table.js'
import { Loaded, Page } from '../parts/page.js'
import { bytesText, Facts, figure, lasting } from '../parts/wording.js'
import { useQuery } from '../routes.js'

type Bill = AnswerOf<'POST /bill', BillOperation>
type Row = Bill['models'][number]
type Estimate = NonNullable<Bill['estimate']>
type Range = Estimate['chats']

const callBill = call as unknown as Call<BillOperation>

/** Where the prices of this tab are. They go to the emulator with each bill, and nowhere else. */
const PRICES = 'svtrain-prices'

const COLUMNS: readonly Column<Row>[] = [
  ['Model', 'w-grow', ({ model }) => model, { sort: true }],
  ['Step', 'w-number', ({ step }) => figure(step ?? '–'), { sort: ({ step }) => step }],
  countColumn('Chats', ({ chats }) => chats, { wide: true }),
  countColumn('Prompt', ({ prompt }) => prompt, { wide: true }),
  countColumn('Answer', ({ completion }) => completion),
  countColumn('Trained', ({ trained }) => trained),
]

const PRICED: readonly Column<Row>[] = [
  ...COLUMNS,
  [
    'Cost',
    'w-number',
    ({ cost }) => (cost === null ? 'no price' : amount(cost)),
    { sort: ({ cost }) => cost },
  ],
]

/** Three digits that count, also of small amounts. */
function amount(money: number): string {
  return money.toLocaleString('en-US', { maximumSignificantDigits: money >= 1000 ? 6 : 3 })
}

/** What was used of the service, and what that costs. */
export function BillPage(): ComponentChildren {
  const [prices, setPrices] = useState(() => sessionStorage.getItem(PRICES) ?? '')
  const [steps, setSteps] = useQuery('steps')
  const wanted = {
    ...(prices !== '' && { prices }),
    ...(/^[1-9]\d{0,5}$/.test(steps) && { steps: Number(steps) }),
  }
  const bill = useLoaded(() => callBill('POST /bill', { body: wanted }), JSON.stringify(wanted))
  useReloadOn(['request', 'job', 'note'], bill.reload)
  const keep = (text: string): void => {
    sessionStorage.setItem(PRICES, text)
    setPrices(text)
  }
  return (
    <Page title="Bill">
      <form
        class="line"
        onSubmit={(event) => {
          event.preventDefault()
          const data = new FormData(event.currentTarget)
          keep(textOf(data, 'prices'))
          setSteps(textOf(data, 'steps'))
        }}
      >
        <label class="field">
          Your prices, as YAML or JSON
          <textarea
            class="mono"
            name="prices"
            rows={4}
            cols={48}
            placeholder={EXAMPLE}
            defaultValue={prices}
          />
        </label>
        <label class="field">
          Estimate a run of
          <input name="steps" inputMode="numeric" placeholder="30 steps" defaultValue={steps} />
        </label>
        <button>Make the bill</button>
      </form>
      <Loaded of={bill} what="bill">
        {(value) => <Shown of={value} />}
      </Loaded>
    </Page>
  )
}

const EXAMPLE = 'currency: usd\nmodels:\n  "*": { prompt: 0.2, completion: 0.6, trained: 1.5 }'

function textOf(data: FormData, name: string): string {
  const value = data.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

function Shown({ of: bill }: { of: Bill }): ComponentChildren {
  const { models, totals, storage, time, money, estimate, notes } = bill
  return (
    <>
      <Facts
        look="line facts"
        label="All models"
        of={{
          Chats: figure(totals.chats),
          'Tokens sampled': figure(totals.prompt + totals.completion),
          'Tokens trained': figure(totals.trained),
          'Training jobs': figure(totals.jobs),
          Checkpoints: figure(storage.checkpoints),
          Files: bytesText(storage.bytes),
          Time: lasting(time.total),
          ...(money && { Total: `${amount(money.total)} ${money.currency}` }),
        }}
      />
      {money && money.unpriced.length > 0 && (
        <p class="bad">The total is not complete: no price for {money.unpriced.join(', ')}.</p>
      )}
      {notes.map((note) => (
        <p key={note} class="faint">
          {note}
        </p>
      ))}
      <LiveTable
        label="Models and steps"
        columns={money ? PRICED : COLUMNS}
        rows={models}
        keyOf={({ model, step }) => `${step} ${model}`}
        empty={<p>Nothing was used yet. Chat with a model, or train one.</p>}
      />
      {estimate && <Estimated of={estimate} currency={money?.currency} />}
    </>
  )
}

function Estimated(props: { of: Estimate; currency: string | undefined }): ComponentChildren {
  const { of: estimate, currency } = props
  const { money } = estimate
  const range = ({ low, high }: Range, text: (value: number) => string = figure): string => {
    return `${text(low)} to ${text(high)}`
  }
  return (
    <section>
      <h2>
        {figure(estimate.to)} steps, estimated from {figure(estimate.from)}
      </h2>
      <Facts
        look="line facts"
        label="Estimate"
        of={{
          Chats: range(estimate.chats),
          Prompt: range(estimate.prompt),
          Answer: range(estimate.completion),
          Trained: range(estimate.trained),
          Checkpoints: range(estimate.checkpoints),
          Files: range(estimate.bytes, bytesText),
          Time: range(estimate.time, lasting),
          ...(money && currency !== undefined && { [currency]: range(money, amount) }),
        }}
      />
      <details>
        <summary>What it assumes</summary>
        <ul>
          {estimate.assumes.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      </details>
    </section>
  )
}
