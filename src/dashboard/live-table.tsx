import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { useFrozenRows, useReading } from './frozen-rows.js'

/**
 * How many rows are drawn at first, and how many "Show more" adds: about one screen. With thousands of new
 * rows per second, each drawing replaces all rows, and the layout of a row takes a millisecond or more.
 */
const PORTION = 24

interface LiveTableProps<T extends object> {
  /** The table's caption: `Jobs`. */
  label: string
  /** The headings, each with the CSS class that sets its width. */
  columns: readonly (readonly [heading: string, width: string])[]
  /** Newest first. */
  rows: readonly T[]
  keyOf: (row: T) => string | number
  /** Draws a row with a key. Pass the same function each time, so that unchanged rows are not drawn again. */
  row: (row: T) => ComponentChildren
  /** Shown if there are no rows. */
  empty: ComponentChildren
  /** Which rows are selected. When this changes, new rows do not wait. */
  view?: string
  /** Shown above the table, next to the button for new rows. */
  children?: ComponentChildren
}

/** A table that can be read while it grows. The arrow keys move from row to row. */
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

/** Remembers the drawing of each row. A row that changed is a new object. */
function drawnOnce<T extends object>(draw: (row: T) => ComponentChildren) {
  const drawings = new WeakMap<T, ComponentChildren>()
  return (row: T): ComponentChildren => {
    if (!drawings.has(row)) drawings.set(row, draw(row))
    return drawings.get(row)
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
