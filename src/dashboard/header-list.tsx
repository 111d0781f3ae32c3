import type { ComponentChildren } from 'preact'

interface HeaderListProps {
  of: Readonly<Record<string, string>>
}

/** The headers of a delivery, a line each. */
export function HeaderList({ of: headers }: HeaderListProps): ComponentChildren {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <>
      <h2>Headers</h2>
      <pre>{lines.join('\n')}</pre>
    </>
  )
}
