import type { ComponentChildren } from 'preact'
import { CopyText } from '../parts/copy-button.js'
import { prettyJson } from '../parts/json-text.js'
import { counted } from '../parts/amounts.js'

/** A body: pretty if it is JSON, and as it was sent. A signature is over the bytes as they were sent. */
export function BodyText({ of: body, title }: { of: string; title: string }): ComponentChildren {
  const pretty = prettyJson(body)
  return (
    <>
      <CopyText title={title} text={body} />
      {pretty !== undefined && pretty !== body && (
        <>
          <h2>Body, indented</h2>
          <pre tabIndex={0}>{pretty}</pre>
        </>
      )}
    </>
  )
}

interface HeaderListProps {
  of: Readonly<Record<string, string>>
  /** Whether they are behind a line that says how many there are. */
  isFolded?: boolean
}

/** Headers, one per line. */
export function HeaderList({ of, isFolded = false }: HeaderListProps): ComponentChildren {
  const lines = Object.entries(of).map(([name, value]) => `${name}: ${value}`)
  if (lines.length === 0) return <p class="faint">No headers.</p>
  const list = <pre tabIndex={0}>{lines.join('\n')}</pre>
  if (isFolded) {
    return (
      <details>
        <summary>{counted(lines.length, 'header')}</summary>
        {list}
      </details>
    )
  }
  return (
    <>
      <h2>Headers</h2>
      {list}
    </>
  )
}
