import type { TargetedKeyboardEvent, TargetedMouseEvent } from 'preact'

const WAYS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(at + 1, last),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_, last) => last,
}

/** Moves the focus between rows. Home and End scroll first, so that the first and the last row are drawn. */
export function moveBetweenRows(event: TargetedKeyboardEvent<HTMLTableElement>): void {
  const way = WAYS[event.key]
  const table = event.currentTarget
  if (!way || !(event.target instanceof Element)) return
  const stopsNow = (): HTMLElement[] =>
    [...table.tBodies].flatMap(({ rows }) =>
      [...rows].flatMap((row) => row.querySelector<HTMLElement>('a, button') ?? []),
    )
  const stops = stopsNow()
  const at = stops.findIndex((stop) => stop.closest('tr')!.contains(event.target as Element))
  if (at === -1) return
  event.preventDefault()
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    stops[way(at, stops.length - 1)]!.focus()
    return
  }
  table.scrollIntoView({ block: event.key === 'Home' ? 'start' : 'end' })
  // One frame for the scroll event, one for the drawing.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const drawn = stopsNow()
      drawn[way(0, drawn.length - 1)]?.focus()
    }),
  )
}

/** What has a click of its own. */
const CLICKABLE = 'a, button, input, label, select, summary, textarea, tr.detail'

/** A click on a row is one on the link or the button of its first cell, with the same keys held. */
export function openRow(event: TargetedMouseEvent<HTMLTableElement>): void {
  const { target } = event
  if (!(target instanceof Element) || target.closest(CLICKABLE)) return
  // Who selects text with the mouse wants to copy it.
  if (getSelection()?.isCollapsed === false) return
  const opener = target.closest('tr')?.querySelector('td:first-child :is(a, button)')
  opener?.dispatchEvent(new MouseEvent('click', event))
}
