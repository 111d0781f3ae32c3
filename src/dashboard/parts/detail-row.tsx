import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { useOpen } from '../routes.js'
import { LeftOut } from './live-table.js'
import { Moment } from './wording.js'

interface DetailRowProps {
  id: number | string
  /** What kind of row it is: `request`. With the id, it names the open row in the address. */
  kind: string
  at: string
  /** The cells after the number and the time. */
  children: ComponentChildren
  /** The number of these cells. */
  cells: number
  /** Shown below the row when it is open. */
  detail: () => ComponentChildren
}

/** A row whose number opens and closes its details. */
export function DetailRow({
  id,
  kind,
  at,
  children,
  cells,
  detail,
}: DetailRowProps): ComponentChildren {
  const [open, toggle] = useOpen(`${kind}-${id}`)
  const leftOut = useContext(LeftOut)
  return (
    <>
      <tr>
        <td class="number">
          <button class="plain" aria-expanded={open} onClick={toggle}>
            {typeof id === 'number' ? id.toLocaleString('en') : id}
          </button>
        </td>
        <td class="mono">
          <Moment at={at} />
        </td>
        {children}
      </tr>
      {open && (
        <tr class="detail">
          <td colSpan={cells + 2 - leftOut}>{detail()}</td>
        </tr>
      )}
    </>
  )
}
