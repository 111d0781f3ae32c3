import type { ComponentChildren } from 'preact'
import type { LoadState } from '../data/use-loaded.js'
import { Problem } from './use-action.js'

interface PageProps {
  title: ComponentChildren
  /** Beside the title: what one can do with the whole page. */
  aside?: ComponentChildren
  /** Links above the title. */
  above?: ComponentChildren
  /** Facts below the title. */
  summary?: ComponentChildren
  /** Why a part of the page is missing. */
  error?: Error | undefined
  children: ComponentChildren
}

/** The frame of every page: its title with what belongs to it, an error, and the content. */
export function Page(props: PageProps): ComponentChildren {
  const { title, aside, above, summary, error, children } = props
  const heading = <h1 tabIndex={-1}>{title}</h1>
  return (
    <>
      {summary !== undefined && (
        <header class="summary stack">
          {above}
          {heading}
          {summary}
        </header>
      )}
      {aside !== undefined && (
        <div class="line">
          {heading}
          {aside}
        </div>
      )}
      {summary === undefined && aside === undefined && heading}
      <Problem of={error} />
      {children}
    </>
  )
}

interface LoadedProps<T> {
  of: Pick<LoadState<T>, 'value' | 'error'>
  /** What loads: `form`. */
  what: string
  /** Draws what has loaded. */
  children: (value: T) => ComponentChildren
}

/** What has loaded. Until then, says that it loads, or why it can't be loaded. */
export function Loaded<T>({ of, what, children }: LoadedProps<T>): ComponentChildren {
  const { value, error } = of
  return (
    <>
      <Problem of={error} />
      {value !== undefined && children(value)}
      {value === undefined && !error && <p class="empty">Loading the {what}…</p>}
    </>
  )
}
