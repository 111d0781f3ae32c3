import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Moment } from './wording.js'

interface DetailRowProps {
  id: number | string
  at: string
  /** The cells after the number and the time. */
  children: ComponentChildren
  /** The number of these cells. */
  cells: number
  /** Shown below the row when it is open. */
  detail: () => ComponentChildren
}

/** A row whose number opens and closes its details. */
export function DetailRow({ id, at, children, cells, detail }: DetailRowProps): ComponentChildren {
  const [open, setOpen] = useState(false)
  return (
    <>
      <tr>
        <td class="number">
          <button class="plain" aria-expanded={open} onClick={() => setOpen(!open)}>
            {id}
          </button>
        </td>
        <td class="mono">
          <Moment at={at} />
        </td>
        {children}
      </tr>
      {open && (
        <tr class="detail">
          <td />
          <td colSpan={cells + 1}>{detail()}</td>
        </tr>
      )}
    </>
  )
}
