import type { ComponentChildren } from 'preact'

/** A name in one line. A long one is cut off, and the title has all of it. */
export function Name({ of }: { of: string }): ComponentChildren {
  return (
    <span class="name" title={of}>
      {of}
    </span>
  )
}

/** A moment on the emulator's clock: the time of day. The title has the date. */
export function Moment({ at }: { at: string | null | undefined }): ComponentChildren {
  if (!at) return <span class="faint">–</span>
  return (
    <time dateTime={at} title={at}>
      {at.slice(11, 23)}
    </time>
  )
}

interface FactsProps {
  /** The descriptions by their terms. Those without a description are left out. */
  of: Readonly<Record<string, ComponentChildren>>
  /** The CSS class of the list. */
  look?: string
  label?: string
}

/** Terms and their descriptions. */
export function Facts({ of, look, label }: FactsProps): ComponentChildren {
  const facts = Object.entries(of).filter(([, fact]) => fact !== undefined && fact !== null)
  return (
    <dl class={look} aria-label={label}>
      {facts.map(([name, fact]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{fact}</dd>
        </div>
      ))}
    </dl>
  )
}
