import { Fragment, type ComponentChildren } from 'preact'
import { linkTo } from '../parts/link.js'
import { Copyable } from '../parts/snippets.js'
import { State } from '../parts/state.js'
import { bytesText, figure, lasting } from '../parts/amounts.js'
import { Moment } from '../parts/facts.js'
import { metricsLine } from '../parts/metrics.js'
import { shortId } from '../parts/names.js'
import type { PageOfOne } from '../routes.js'
import type { Column } from './table.js'

/** Which page has what a field names. */
const PAGE_OF_FIELD: Readonly<Record<string, PageOfOne>> = {
  job: 'job',
  job_id: 'job',
  run: 'run',
  used_by: 'run',
  logged_artifacts: 'artifact',
  used_artifacts: 'artifact',
  links: 'artifact',
  delivery_id: 'delivery',
  requests: 'request',
}

/** `base_model` in words: `Base model`. */
export function words(name: string): string {
  const text = name
    .replace(/_(?:at|id)$/, '')
    .replaceAll('_', ' ')
    .replace(/^(?:url|id|md5)$/, (each) => each.toUpperCase())
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A value as its field needs it: a link, a time, a state, a size. */
export function Value({ name, of }: { name: string; of: unknown }): ComponentChildren {
  if (of === null || of === undefined || of === '') return <span class="faint">–</span>
  const page = PAGE_OF_FIELD[name]
  if (page !== undefined) return <Links page={page} of={[of].flat().map(String)} />
  if (Array.isArray(of)) return typeof of[0] === 'object' ? figure(of.length) : of.join(', ')
  if (typeof of === 'object') return <span class="mono">{metricsLine({ ...of })}</span>
  if (typeof of === 'boolean') return of ? 'yes' : 'no'
  if (typeof of === 'number') return NUMBERS[name]?.(of) ?? figure(of)
  const text = of as string
  if (name === 'state' || name === 'verdict') return <State of={text} />
  if (name === 'url') return <Copyable text={text} what="the URL" />
  if (isTime(name)) return <Moment at={text} />
  return /^(?:id|path|digest)$/.test(name) ? <code>{text}</code> : text
}

function isTime(name: string): boolean {
  return name === 'at' || name === 'since' || name.endsWith('_at')
}

const NUMBERS: Readonly<Record<string, (value: number) => string>> = {
  size: bytesText,
  took: lasting,
  latency: lasting,
}

/** The most links. */
const MOST = 10

/** Links to records, one after the other. */
function Links({ page, of: ids }: { page: PageOfOne; of: readonly string[] }): ComponentChildren {
  return (
    <>
      {ids.slice(0, MOST).map((id, at) => (
        <Fragment key={id}>
          {at > 0 && ', '}
          {linkTo({ page, id }, /^[\da-f]{8}-/.test(id) ? shortId(id) : id.split('/').at(-1))}
        </Fragment>
      ))}
      {ids.length > MOST && <span class="faint"> and {figure(ids.length - MOST)} more</span>}
    </>
  )
}

interface FieldColumnOptions {
  /** Default: the name of the field in words. */
  heading?: string
  /** The CSS classes of the cells. The first one sets the width. Default: what the name of the field needs. */
  look?: string
  /** Whether a narrow window leaves the column out. */
  wide?: true
}

/** A column that shows a field, and sorts by it. */
export function column<T extends object>(
  name: keyof T & string,
  { heading = words(name), look = lookOf(name), ...options }: FieldColumnOptions = {},
): Column<T> {
  return [
    heading,
    look,
    ({ [name]: value }) => (sortable(value) === null ? null : <Value name={name} of={value} />),
    { sort: ({ [name]: value }) => sortable(value), ...options },
  ]
}

function lookOf(name: string): string {
  if (isTime(name)) return 'w-time'
  if (name === 'took' || name === 'latency') return 'w-took'
  if (name in NUMBERS || name.endsWith('step') || name === 'attempts') return 'w-number'
  return name === 'state' || name === 'verdict' ? 'w-state' : 'w-name'
}

function sortable(value: unknown): number | string | null {
  if (typeof value === 'number' || typeof value === 'string') return value === '' ? null : value
  if (Array.isArray(value))
    return value.every((each) => typeof each === 'string') ? value.join() || null : value.length
  return value === null || value === undefined ? null : JSON.stringify(value)
}
