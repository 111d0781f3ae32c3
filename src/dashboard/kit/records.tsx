import { createContext, Fragment, type ComponentChildren, type FunctionComponent } from 'preact'
import { useCallback, useContext, useRef } from 'preact/hooks'
import type { Entry } from '../../emulator/control/schemas/journal.js'
import { useLoaded, type LoadState } from '../data/use-loaded.js'
import { useReloadOn } from '../data/use-reload-on.js'
import { MayBeMore } from '../parts/may-be-more.js'
import { Page } from '../parts/page.js'
import { useElsewhere } from '../parts/world-switcher.js'
import { useQuery } from '../routes.js'
import { useFilters, type Facet } from './facets.js'
import { LiveTable, type Column, type RowDetails } from './table.js'

/** A page of records, as data. */
export interface Listing<T extends object> {
  title: string
  /** The name of the table. Default: the title. */
  label?: string
  /** Whether the name is a heading, with the number of records. */
  isCounted?: true
  /** One record, in words: `job`. */
  thing: string
  /** Several of them. Default: the title. */
  things?: string
  /** The records, newest first. */
  useRows: () => RowsState<T>
  columns: readonly Column<T>[]
  keyOf: (row: T) => string
  details?: RowDetails<T>
  /** The most records that are loaded. */
  most?: number
  /** What the records can be filtered by, besides their texts. */
  facets?: readonly Facet<T>[]
  /** What people search for: `Model or job`. */
  find: string
  /** What is beside the title. */
  Aside?: FunctionComponent
  /** What is above the table. `rows` are those that were loaded, without a filter. */
  Above?: FunctionComponent<{ rows: readonly T[] }>
  /** A form for a new record, behind a button. */
  add?: { label: string; Form: FunctionComponent<{ close: () => void }> }
  /** What is around the table. */
  Around?: FunctionComponent<{ children: ComponentChildren }>
  /** What is below the table. */
  Below?: FunctionComponent
  /** What to do so that there are records. */
  Empty: FunctionComponent
}

export interface RowsState<T> extends LoadState<readonly T[]> {
  /** When this changes, new rows do not wait. */
  view?: string
  /** What was loaded with the records and is below the table. */
  below?: ComponentChildren
}

/** Loads records, and loads them again after entries of these kinds. */
export function useRecords<T>(
  load: () => Promise<readonly T[]>,
  after: readonly Entry['kind'][],
): RowsState<T> {
  const loaded = useLoaded(load)
  useReloadOn(after, loaded.reload)
  return loaded
}

const Reload = createContext(() => {})

/** Returns what loads the records around a component again. */
export function useReload(): () => void {
  return useContext(Reload)
}

/** Any page of records: its filters, which are in the address, and its table. */
export function Records<T extends object>({ of }: { of: Listing<T> }): ComponentChildren {
  const { title, add, Aside, Above, Around = Fragment, Below } = of
  const { value, error, reload: load, view: moved = '', below } = of.useRows()
  const all: readonly T[] = value ?? NONE
  const { acted, reload } = useActed(value, load)
  const [form, setForm] = useQuery('new')
  const toggle = (): void => setForm(form === '' ? 'yes' : '')
  const { rows, view, lists, fields } = useFilters(of, all)
  return (
    <Reload.Provider value={reload}>
      <Page title={title} error={error} aside={Aside && <Aside />}>
        {add && form !== '' && <add.Form close={() => setForm('')} />}
        {Above && <Above rows={all} />}
        {lists}
        <Around>
          <LiveTable
            label={of.label ?? title}
            {...(of.isCounted && { heading: all.length })}
            columns={of.columns}
            rows={rows}
            keyOf={of.keyOf}
            details={of.details}
            view={`${view} ${acted} ${moved}`}
            empty={<Nothing of={of} rows={value} error={error} />}
          >
            {add && (
              <button aria-expanded={form !== ''} onClick={toggle}>
                {add.label}
              </button>
            )}
            {fields}
          </LiveTable>
        </Around>
        {of.most !== undefined && <MayBeMore of={all} most={of.most} />}
        {Below && <Below />}
        {below}
      </Page>
    </Reload.Provider>
  )
}

/** Counts the lists that were loaded after an act of the user: what they lack or have is shown at once. */
function useActed(value: unknown, load: () => void) {
  const last = useRef({ value, count: 0, isAwaited: false })
  if (last.current.value !== value) {
    const { count, isAwaited } = last.current
    last.current = { value, count: isAwaited ? count + 1 : count, isAwaited: false }
  }
  const reload = useCallback(() => {
    last.current.isAwaited = true
    load()
  }, [load])
  return { acted: last.current.count, reload }
}

/** The same object each time, so that nothing is drawn again while the records load. */
const NONE: readonly never[] = []

interface NothingProps<T extends object> {
  of: Listing<T>
  rows: readonly T[] | undefined
  error: Error | undefined
}

/** Says why there are no rows. */
function Nothing<T extends object>({ of, rows, error }: NothingProps<T>): ComponentChildren {
  const { thing, things = of.title.toLowerCase(), Empty } = of
  const elsewhere = useElsewhere()
  if (!rows) return <p>{error ? `Failed to load the ${things}.` : `Loading the ${things}…`}</p>
  if (rows.length > 0) return <p>No {thing} matches. Clear the filter.</p>
  if (elsewhere === undefined) return <Empty />
  return (
    <p>
      No {things} in this world. {elsewhere}
    </p>
  )
}
