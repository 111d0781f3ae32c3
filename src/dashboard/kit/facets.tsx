import { Fragment, type ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { grouped } from '../data/grouped.js'
import { Choice, Choices } from '../parts/choice.js'
import { figure } from '../parts/amounts.js'
import { useQueries, useQuery } from '../routes.js'
import { useTextFilter } from './text-filter.js'

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

interface Filters<T> {
  /** The rows that are left. */
  rows: readonly T[]
  /** What the user filters by, as one text. */
  view: string
  /** The lists that the user opened. */
  lists: ComponentChildren
  fields: ComponentChildren
}

/** Filters records by their texts and by facets. What the user chose is in the address. */
export function useFilters<T extends object>(
  { facets = [], find }: { facets?: readonly Facet<T>[]; find: string },
  all: readonly T[],
): Filters<T> {
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
    <Choices label={label} of={['', ...(facet.values ?? seen)]} chosen={chosen} choose={choose}>
      {(value) => (
        <>
          {value || 'all'}{' '}
          <span class="count">
            {figure(value === '' ? found.length : (counts.get(value) ?? 0))}
          </span>
        </>
      )}
    </Choices>
  )
}

function countsOf<T>(rows: readonly T[], { answerOf }: Facet<T>): Map<string, number> {
  const groups = grouped(
    rows.flatMap((row) => answerOf(row) ?? []),
    String,
  )
  return new Map([...groups].map(([value, { length }]) => [value, length]))
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
