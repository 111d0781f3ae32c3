import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { useFrozenRows, useReading } from './frozen-rows.js'

/**
 * How many rows are drawn, and how many more at a time: about a screen of them. Where thousands come
 * a second all of them are others at each drawing, and laying out a row takes a millisecond or more.
 */
const PORTION = 24

interface LiveTableProps<T extends object> {
  /** What the table holds, in words: `Jobs`. */
  label: string
  /** Headings, each with the class that gives its width. */
  columns: readonly (readonly [heading: string, width: string])[]
  /** Newest first. */
  rows: readonly T[]
  keyOf: (row: T) => string | number
  /** Draws a row, keyed. Where it stays the same function, rows that did not change are not drawn anew. */
  row: (row: T) => ComponentChildren
  /** Said where there are no rows. */
  empty: ComponentChildren
  /** Which rows were asked for; new ones do not wait where it changes. */
  view?: string
  /** Stands above the table, beside the button for new rows. */
  children?: ComponentChildren
}

/** A table that is read while it grows. The arrow keys go from row to row. */
export function LiveTable<T extends object>(props: LiveTableProps<T>): ComponentChildren {
  const { label, columns, rows, keyOf, row, empty, view = '', children } = props
  const { reading, handlers } = useReading()
  const { shown, waiting, show } = useFrozenRows(rows, keyOf, { reading, view })
  const [most, setMost] = useState(PORTION)
  const drawn = useMemo(() => drawnOnce(row), [row])
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
            <tbody>{shown.slice(0, most).map(drawn)}</tbody>
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

/** Keeps what was drawn for each row; a row that changes is another object. */
function drawnOnce<T extends object>(draw: (row: T) => ComponentChildren) {
  const kept = new WeakMap<T, ComponentChildren>()
  return (row: T): ComponentChildren => {
    if (!kept.has(row)) kept.set(row, draw(row))
    return kept.get(row)
  }
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
