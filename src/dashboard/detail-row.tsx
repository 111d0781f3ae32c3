import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Moment } from './wording.js'

interface DetailRowProps {
  id: number | string
  at: string
  /** The cells that follow those two. */
  children: ComponentChildren
  /** How many these are. */
  cells: number
  /** What is below the line when it is opened. */
  detail: () => ComponentChildren
}

/** A line whose number opens and closes what there is to know of it. */
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
