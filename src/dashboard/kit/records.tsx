import { createContext, Fragment, type ComponentChildren, type FunctionComponent } from 'preact'
import { useCallback, useContext, useMemo, useRef } from 'preact/hooks'
import type { Entry } from '../../emulator/control/schemas/journal.js'
import { useLoaded, type LoadState } from '../data/use-loaded.js'
import { useReloadOn } from '../data/use-reload-on.js'
import { Choice, CountedChoices } from '../parts/choice.js'
import { Page } from '../parts/page.js'
import { figure } from '../parts/wording.js'
import { useElsewhere } from '../parts/world-switcher.js'
import { useQueries, useQuery } from '../routes.js'
import { LiveTable, type Column, type RowDetails } from './table.js'
import { useTextFilter } from './text-filter.js'

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
  Below?: FunctionComponent<{ rows: readonly T[] }>
  /** What to do so that there are records. */
  Empty: FunctionComponent
}

export interface RowsState<T> extends LoadState<readonly T[]> {
  /** When this changes, new rows do not wait. */
  view?: string
  /** What was loaded with the records and is below the table. */
  below?: ComponentChildren
}

/** A question with a few answers: the state of a job. */
export interface Facet<T> {
  /** Its name in the address. */
  name: string
  label: string
  answerOf: (row: T) => string | undefined
  /** The answers. Default: those of the records. */
  values?: readonly string[]
  /** How the user chooses an answer. Default: with buttons that have counts. */
  by?:
    | { control: 'selection'; /** What it says without a choice. */ all: string }
    /** Above the table, behind a button. */
    | { control: 'list'; /** What it says without answers. */ none: string }
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
        {Below && <Below rows={all} />}
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
  if (!rows && !error) return <p>Loading the {things}…</p>
  if (rows && rows.length > 0) return <p>No {thing} matches. Clear the filter.</p>
  if (elsewhere === undefined) return <Empty />
  return (
    <p>
      No {things} in this world. {elsewhere}
    </p>
  )
}

interface Filters<T> {
  /** The rows that are left. */
  rows: readonly T[]
  /** What the user filters by, as one text. */
  view: string
  /** The lists that the user opened. */
  lists: ComponentChildren
  fields: ComponentChildren
}

function useFilters<T extends object>(of: Listing<T>, all: readonly T[]): Filters<T> {
  const { facets = [], find } = of
  const [chosen, choose] = useQueries(['search', ...facets.map(({ name }) => name)])
  const view = JSON.stringify(chosen)
  const cleared = Object.fromEntries(Object.keys(chosen).map((name) => [name, '']))
  const { found, field } = useTextFilter(all, find)
  const fits = (row: T, facet: Facet<T>): boolean => {
    const wanted = chosen[facet.name] ?? ''
    return wanted === '' || facet.answerOf(row) === wanted
  }
  const rows = useMemo(
    () => found.filter((row) => facets.every((facet) => fits(row, facet))),
    [found, view],
  )
  const fieldOf = (facet: Facet<T>): FacetFieldProps<T> => {
    const others = facets.filter((each) => each !== facet)
    return {
      of: facet,
      chosen: chosen[facet.name] ?? '',
      choose: (value) => choose({ [facet.name]: value }),
      all,
      found: found.filter((row) => others.every((each) => fits(row, each))),
    }
  }
  const lists = facets
    .filter(isList)
    .map((facet) => <FacetList key={facet.name} {...fieldOf(facet)} />)
  const fields = (
    <>
      {facets
        .filter((facet) => !isList(facet))
        .map((facet) => (
          <FacetField key={facet.name} {...fieldOf(facet)} />
        ))}
      {field}
      {facets.filter(isList).map((facet) => (
        <ListButton key={facet.name} {...fieldOf(facet)} />
      ))}
      {facets.length > 1 && view !== JSON.stringify(cleared) && (
        <button onClick={() => choose(cleared)}>Clear filters</button>
      )}
    </>
  )
  return { rows, view, lists, fields }
}

interface FacetFieldProps<T> {
  of: Facet<T>
  chosen: string
  choose: (value: string) => void
  all: readonly T[]
  /** The records that the other filters leave. */
  found: readonly T[]
}

const ALL = 'all'

function FacetField<T>(props: FacetFieldProps<T>): ComponentChildren {
  const { of: facet, chosen, choose, all, found } = props
  const { label, by, answerOf } = facet
  const seen = [...new Set(all.flatMap((row) => answerOf(row) ?? []))]
  if (by?.control === 'selection') {
    const values = facet.values ?? seen.sort((one, other) => one.localeCompare(other))
    return <Choice label={label} value={chosen} change={choose} of={[['', by.all], ...values]} />
  }
  const counts = countsOf(found, facet)
  return (
    <CountedChoices
      label={label}
      of={[ALL, ...(facet.values ?? seen)]}
      chosen={chosen === '' ? ALL : chosen}
      choose={(value) => choose(value === ALL ? '' : value)}
      count={(value) => (value === ALL ? found.length : (counts.get(value) ?? 0))}
    />
  )
}

function countsOf<T>(rows: readonly T[], { answerOf }: Facet<T>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of rows.flatMap((row) => answerOf(row) ?? [])) {
    counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return counts
}

/** The most answers in a list. */
const MOST_LISTED = 12

function isList<T>({ by }: Facet<T>): boolean {
  return by?.control === 'list'
}

/** Whether the list is open. The address says so. */
function useList<T>({ of: { name }, chosen }: FacetFieldProps<T>) {
  const [shown, setShown] = useQuery(`${name}s`)
  return { isOpen: shown !== '' || chosen !== '', setShown }
}

/** Opens and closes a list. */
function ListButton<T>(props: FacetFieldProps<T>): ComponentChildren {
  const { isOpen, setShown } = useList(props)
  const toggle = (): void => {
    setShown(isOpen ? '' : 'shown')
    props.choose('')
  }
  return (
    <button aria-expanded={isOpen} onClick={toggle}>
      {props.of.label}
    </button>
  )
}

/** The answers with their counts, the most frequent one first. A click shows their records. */
function FacetList<T>(props: FacetFieldProps<T>): ComponentChildren {
  const { of: facet, chosen, choose, found } = props
  const listed = [...countsOf(found, facet)].sort(([, one], [, other]) => other - one)
  if (!useList(props).isOpen || facet.by?.control !== 'list') return null
  if (listed.length === 0) return <p class="faint">{facet.by.none}</p>
  return (
    <div class="reasons" role="group" aria-label={facet.label}>
      {listed.slice(0, MOST_LISTED).map(([value, count]) => (
        <Fragment key={value}>
          <span class="number">{figure(count)}</span>
          <button
            class="plain"
            aria-pressed={value === chosen}
            onClick={() => choose(value === chosen ? '' : value)}
          >
            {value}
          </button>
        </Fragment>
      ))}
      {listed.length > MOST_LISTED && (
        <p class="faint">And {figure(listed.length - MOST_LISTED)} more.</p>
      )}
    </div>
  )
}
