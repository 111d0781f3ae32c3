import type { ComponentChildren } from 'preact'
import { CopyButton } from './copy-button.js'

interface JsonSectionProps {
  title: string
  of: Readonly<Record<string, unknown>>
  /** Shown if the object has no fields. */
  empty: string
}

/** An object as JSON, with a heading. */
export function JsonSection({ title, of, empty }: JsonSectionProps): ComponentChildren {
  const text = JSON.stringify(of, undefined, 2)
  const isEmpty = Object.keys(of).length === 0
  return (
    <section aria-label={title}>
      <div class="line">
        <h2>{title}</h2>
        {!isEmpty && <CopyButton text={text} what={`the ${title.toLowerCase()}`} />}
      </div>
      {isEmpty ? (
        <p class="faint">{empty}</p>
      ) : (
        <pre tabIndex={0} role="region" aria-label={`${title} as JSON`}>
          {text}
        </pre>
      )}
    </section>
  )
}
