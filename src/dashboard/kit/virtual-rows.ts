import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** The height of a row before one was measured, in pixels. */
const HEIGHT = 29
/** Rows are added and removed in groups of this size, and one group is drawn beyond each edge. */
const GROUP = 12

export interface VirtualRows {
  /** The rows to draw: `from` is the first, `to` is the one after the last. */
  from: number
  to: number
  /** The heights of the rows that are not drawn, in pixels. */
  above: number
  below: number
}

/** Which of `count` rows are in the window. Rows have one height, except those with open details. */
export function useVirtualRows(
  body: RefObject<HTMLTableSectionElement | null>,
  count: number,
): VirtualRows {
  const [{ from, to, height }, setRange] = useState({ from: 0, to: 2 * GROUP, height: HEIGHT })
  useLayoutEffect(() => {
    let frame = 0
    const look = (): void => {
      frame = 0
      const tbody = body.current
      if (!tbody) return
      const { measured, details, opened } = measure(tbody)
      const top = -(tbody.getBoundingClientRect().top + details) / measured
      const first = Math.max(0, Math.floor(top / GROUP - 1) * GROUP)
      const last = Math.ceil((top + innerHeight / measured) / GROUP + 1) * GROUP
      setRange((before) => {
        // Open details stay drawn: only a drawn row has a height.
        const kept = opened.map((at) => before.from + at)
        const next = {
          from: Math.min(first, ...kept),
          to: Math.max(2 * GROUP, last, ...kept.map((at) => at + 1)),
          height: measured,
        }
        const same =
          before.from === next.from && before.to === next.to && before.height === measured
        return same ? before : next
      })
    }
    const later = (): void => {
      frame ||= requestAnimationFrame(look)
    }
    look()
    addEventListener('scroll', later, { passive: true })
    addEventListener('resize', later)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('scroll', later)
      removeEventListener('resize', later)
    }
  }, [body, count === 0])
  const end = Math.min(to, count)
  // A list that became shorter may end above the window.
  const start = Math.min(from, Math.max(0, Math.floor((end - 1) / GROUP) * GROUP))
  return { from: start, to: end, above: start * height, below: (count - end) * height }
}

interface RowHeights {
  /** The height of a row without details. */
  measured: number
  /** The height of the details above the window. */
  details: number
  /** The positions of the rows with open details among those that are drawn. */
  opened: number[]
}

function measure(tbody: HTMLTableSectionElement): RowHeights {
  const found: RowHeights = { measured: 0, details: 0, opened: [] }
  let at = -1
  for (const row of tbody.rows) {
    if (row.classList.contains('spacer')) continue
    if (row.classList.contains('detail')) {
      const { top, height } = row.getBoundingClientRect()
      if (top < 0) found.details += Math.min(height, -top)
      found.opened.push(at)
    } else {
      at++
      found.measured ||= row.getBoundingClientRect().height
    }
  }
  found.measured ||= HEIGHT
  return found
}
