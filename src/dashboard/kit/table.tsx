import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useFrozenRows, useReading } from './frozen-rows.js'
import { moveBetweenRows, openRow } from './row-focus.js'
import { nextOrder, sortedBy, wayOf, type SortValue } from './sorting.js'
import { useOpen, useQuery } from '../routes.js'
import { Problem } from '../parts/use-action.js'
import { useVirtualRows } from './virtual-rows.js'
import { figure } from '../parts/amounts.js'

interface ColumnOptions<T> {
  /** What the user can sort by. Rows without a value are last. True: what the cell shows. */
  sort?: true | ((row: T) => SortValue)
  /** Whether a narrow window leaves the column out. The row's details, or its page, show the value. */
  wide?: true
  /** Drawn below the heading: the axis of a column of drawings. */
  axis?: ComponentChildren
}

/** The heading, the CSS classes of the cells, a cell, and what the column can do. The first class sets the width. */
export type Column<T> = readonly [
  heading: string,
  look: string,
  cell: (row: T) => ComponentChildren,
  options?: ColumnOptions<T>,
]

/** A column of counts, which the user can sort by. */
export function countColumn<T>(
  heading: string,
  count: (row: T) => number,
  options: { wide?: true } = {},
): Column<T> {
  return [heading, 'w-number', (row) => figure(count(row)), { sort: count, ...options }]
}

/** What a row shows below itself when the user opens it. The first cell is the button that does so. */
export interface RowDetails<T> {
  /** Names the open row in the address: `request-12`. */
  idOf: (row: T) => string
  /** Null: nothing. */
  show: (row: T) => ComponentChildren
  /** The CSS class of the buttons. */
  look?: string
}

/** Up to this width, tables leave columns out. The style sheet shows their values in the details: `.only-narrow`. */
const FEWER_COLUMNS = '(max-width: 73.75em)'

/** The columns for which the window has room. */
function useFitting<T>(columns: readonly Column<T>[]): readonly Column<T>[] {
  const [narrow, setNarrow] = useState(() => matchMedia(FEWER_COLUMNS).matches)
  useEffect(() => {
    const media = matchMedia(FEWER_COLUMNS)
    const look = (): void => setNarrow(media.matches)
    look()
    media.addEventListener('change', look)
    return () => media.removeEventListener('change', look)
  }, [])
  return useMemo(
    () => (narrow ? columns.filter(([, , , options]) => !options?.wide) : columns),
    [columns, narrow],
  )
}

/** How a row is drawn. Pass the same objects each time, so that unchanged rows are not drawn again. */
interface RowShape<T> {
  columns: readonly Column<T>[]
  details?: RowDetails<T> | undefined
  /** The CSS class of a row. */
  lookOf?: ((row: T) => string) | undefined
}

interface LiveTableProps<T extends object> extends RowShape<T> {
  /** The table's caption: `Jobs`. */
  label: string
  /** Newest first. Undefined: no answer says yet which rows there are. */
  rows: readonly T[] | undefined
  keyOf: (row: T) => string | number
  /** Shown if there are no rows. */
  empty: ComponentChildren
  /** Why there are no rows, or old ones. */
  error?: Error | undefined
  /** Whether the caption is a heading, too. A number: with this count. */
  heading?: true | number
  /** Which rows are selected. When this changes, new rows do not wait. */
  view?: string
  /** Shown above the table, next to the button for new rows. */
  children?: ComponentChildren
}

/**
 * A table that can be read while it grows. Only the rows in the window are drawn, because drawing thousands
 * takes seconds. The headings sort. The arrow keys move from row to row.
 */
export function LiveTable<T extends object>(props: LiveTableProps<T>): ComponentChildren {
  const { label, heading, details, lookOf, keyOf, view = '', children } = props
  const rows = props.rows ?? NONE
  const { reading, handlers } = useReading()
  const [order, setOrder] = useQuery(`sort-${label.toLowerCase()}`)
  const sorted = useMemo(() => inOrder(rows, props.columns, order), [rows, props.columns, order])
  const frozen = useFrozenRows(sorted, keyOf, { reading, view: `${view} ${order}` })
  const { shown, waiting, show } = frozen
  const columns = useFitting(props.columns)
  const drawn = useMemo(() => {
    return drawnOnce((row: T) => <Row key={keyOf(row)} {...{ row, columns, details, lookOf }} />)
  }, [columns, details, lookOf])
  const body = useRef<HTMLTableSectionElement>(null)
  const { from, to, above, below } = useVirtualRows(body, shown.length)
  return (
    <section class="table stack" aria-label={label} {...handlers}>
      <Problem of={props.error} />
      <div class="toolbar">
        {heading !== undefined && (
          <h2>
            {label} {heading !== true && <span class="count">{figure(heading)}</span>}
          </h2>
        )}
        {children}
        <button
          class={waiting > 0 ? 'fresh' : 'fresh hidden'}
          disabled={waiting === 0}
          onClick={show}
        >
          {figure(waiting)} new
        </button>
      </div>
      {shown.length === 0 ? (
        <NoRows of={props} />
      ) : (
        <div class="scroller">
          <table onKeyDown={moveBetweenRows} onClick={openRow} aria-rowcount={shown.length + 1}>
            <caption>{label}</caption>
            <thead>
              <tr>
                {columns.map((column) => (
                  <Heading key={column[0]} of={column} order={order} setOrder={setOrder} />
                ))}
              </tr>
            </thead>
            <tbody ref={body}>
              {above > 0 && <Spacer height={above} />}
              {shown.slice(from, to).map(drawn)}
              {below > 0 && <Spacer height={below} />}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

/** The same object each time, so that nothing is drawn again while the rows load. */
const NONE: readonly never[] = []

/** Why there are no rows. The error is above. */
function NoRows<T extends object>({ of }: { of: LiveTableProps<T> }): ComponentChildren {
  if (of.rows === undefined && of.error) return null
  return <div class="empty">{of.rows === undefined ? 'Loading…' : of.empty}</div>
}

interface RowProps<T> extends RowShape<T> {
  row: T
}

function Row<T>({ row, columns, details, lookOf }: RowProps<T>): ComponentChildren {
  const [open, toggle] = useOpen(details?.idOf(row) ?? '')
  const detail = open && details?.show(row)
  return (
    <>
      <tr class={lookOf?.(row)}>
        {columns.map(([heading, look, cell], at) => (
          <td key={heading} class={look}>
            {details && at === 0 ? (
              <button class={`plain ${details.look ?? ''}`} aria-expanded={open} onClick={toggle}>
                {cell(row)}
              </button>
            ) : (
              cell(row)
            )}
          </td>
        ))}
      </tr>
      {detail && (
        <tr class="detail">
          <td colSpan={columns.length}>{detail}</td>
        </tr>
      )}
    </>
  )
}

/** Takes the place of rows that are out of sight. */
function Spacer({ height }: { height: number }): ComponentChildren {
  return (
    <tr class="spacer" aria-hidden="true">
      <td style={{ height: `${height}px` }} />
    </tr>
  )
}

/**
 * The widths of columns by their class, and those on a phone: up to 43.75em, as in the style sheet. Any other column has
 * the room that is left.
 */
const WIDTHS: Readonly<Record<string, readonly [usual: string, phone?: string]>> = {
  'w-acts': ['9rem'],
  'w-advance': ['9.75rem', '5.25rem'],
  'w-axis': ['33%', '42%'],
  'w-base': ['13.75rem'],
  'w-curve': ['12.5rem', '8.5rem'],
  'w-event': ['11.875rem', '9.375rem'],
  'w-fault': ['11.875rem', '7.5rem'],
  'w-id': ['6rem', '5.5rem'],
  'w-index': ['5rem', '4.125rem'],
  'w-job': ['8rem'],
  'w-metric': ['6.75rem', '4.25rem'],
  'w-name': ['7.5rem'],
  'w-number': ['5.75rem', '4.25rem'],
  'w-operation': ['10.5rem'],
  'w-progress': ['12rem', '7.5rem'],
  'w-request': ['5rem', '2.5rem'],
  'w-short': ['4.75rem', '3.75rem'],
  'w-state': ['6.5rem', '5.5rem'],
  'w-status': ['5.75rem', '4.75rem'],
  'w-time': ['7.25rem', '6.5rem'],
  'w-took': ['5.75rem', '4.75rem'],
}

interface HeadingProps<T> {
  of: Column<T>
  order: string
  setOrder: (order: string) => void
}

const MARKS = { ascending: ' ▲', descending: ' ▼' } as const

/** A heading. A click sorts by its column. */
function Heading<T>({ of, order, setOrder }: HeadingProps<T>): ComponentChildren {
  const [heading, look, , { sort, axis } = {}] = of
  const [width = ''] = look.split(' ')
  const [usual = 'auto', phone = usual] = WIDTHS[width] ?? []
  const style = { '--width': usual, '--phone': phone }
  const way = sort && wayOf(order, heading)
  return (
    <th scope="col" class={width} style={style} aria-sort={way}>
      {sort ? (
        <button class="sort" onClick={() => setOrder(nextOrder(order, heading))}>
          {heading}
          {way && <span aria-hidden="true">{MARKS[way]}</span>}
        </button>
      ) : (
        heading
      )}
      {axis}
    </th>
  )
}

function inOrder<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  order: string,
): readonly T[] {
  for (const [heading, , cell, { sort } = {}] of columns) {
    const way = wayOf(order, heading)
    if (!sort || !way) continue
    return sortedBy(rows, sort === true ? (cell as (row: T) => SortValue) : sort, way)
  }
  return rows
}

/** Remembers the drawing of each row. A row that changed is a new object. */
function drawnOnce<T extends object>(draw: (row: T) => ComponentChildren) {
  const drawings = new WeakMap<T, ComponentChildren>()
  return (row: T): ComponentChildren => {
    if (!drawings.has(row)) drawings.set(row, draw(row))
    return drawings.get(row)
  }
}
