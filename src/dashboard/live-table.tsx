import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { useState } from 'preact/hooks'
import { useFrozenRows, useReading } from './frozen-rows.js'

/** How many rows are drawn, and how many more at a time. */
const PORTION = 100

interface LiveTableProps<T> {
  /** What the table holds, in words: `Jobs`. */
  label: string
  /** Headings, each with the class that gives its width. */
  columns: readonly (readonly [heading: string, width: string])[]
  /** Newest first. */
  rows: readonly T[]
  keyOf: (row: T) => string | number
  /** Draws a row, keyed. */
  row: (row: T) => ComponentChildren
  /** Said where there are no rows. */
  empty: ComponentChildren
  /** Which rows were asked for; new ones do not wait where it changes. */
  view?: string
  /** Stands above the table, beside the button for new rows. */
  children?: ComponentChildren
}

/** A table that is read while it grows. The arrow keys go from row to row. */
export function LiveTable<T>(props: LiveTableProps<T>): ComponentChildren {
  const { label, columns, rows, keyOf, row, empty, view = '', children } = props
  const { reading, handlers } = useReading()
  const { shown, waiting, show } = useFrozenRows(rows, keyOf, { reading, view })
  const [most, setMost] = useState(PORTION)
  const left = shown.length - most
  return (
    <section class="table" aria-label={label} {...handlers}>
      <div class="toolbar">
        {children}
        <button
          class={waiting > 0 ? 'fresh' : 'fresh hidden'}
          disabled={waiting === 0}
          onClick={show}
        >
          {waiting.toLocaleString('en')} new
        </button>
      </div>
      {shown.length === 0 ? (
        <div class="empty">{empty}</div>
      ) : (
        <div class="scroller">
          <table onKeyDown={moveByArrows}>
            <caption>{label}</caption>
            <thead>
              <tr>
                {columns.map(([heading, width]) => (
                  <th key={heading} scope="col" class={width}>
                    {heading}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>{shown.slice(0, most).map(row)}</tbody>
          </table>
        </div>
      )}
      {left > 0 && (
        <button class="more" onClick={() => setMost(most + PORTION)}>
          Show {Math.min(PORTION, left)} more of {left.toLocaleString('en')}
        </button>
      )}
    </section>
  )
}

const WAYS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(at + 1, last),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_, last) => last,
}

function moveByArrows(event: TargetedKeyboardEvent<HTMLTableElement>): void {
  const way = WAYS[event.key]
  if (!way || !(event.target instanceof Element)) return
  const stops = [...event.currentTarget.tBodies].flatMap(({ rows }) =>
    [...rows].flatMap((row) => row.querySelector<HTMLElement>('a, button') ?? []),
  )
  const at = stops.findIndex((stop) => stop.closest('tr')!.contains(event.target as Element))
  if (at === -1) return
  event.preventDefault()
  stops[way(at, stops.length - 1)]!.focus()
}
