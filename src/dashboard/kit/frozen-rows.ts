import { useEffect, useRef, useState } from 'preact/hooks'

export interface FrozenRows<T> {
  shown: readonly T[]
  /** How many rows wait to be shown. */
  waiting: number
  show: () => void
}

/**
 * Shows new rows by itself, except while the user reads. Then new rows wait, and the shown rows keep their
 * places and only change their contents. When `view` changes, all rows are shown.
 */
export function useFrozenRows<T>(
  rows: readonly T[],
  keyOf: (row: T) => string | number,
  { reading, view }: { reading: boolean; view: string },
): FrozenRows<T> {
  const frozen = useRef<{ view: string; rows: readonly T[] } | undefined>(undefined)
  const [, render] = useState({})
  if (!reading || frozen.current?.view !== view || frozen.current.rows.length === 0) {
    frozen.current = { view, rows }
    return { shown: rows, waiting: 0, show: () => {} }
  }
  const now = new Map(rows.map((row) => [keyOf(row), row]))
  const shown = frozen.current.rows.map((row) => {
    const current = now.get(keyOf(row))
    now.delete(keyOf(row))
    return current ?? row
  })
  const show = (): void => {
    frozen.current = { view, rows }
    render({})
  }
  return { shown, waiting: now.size, show }
}

/** Whether the user reads: the pointer or the focus is inside, or the page is scrolled. */
export function useReading(): {
  reading: boolean
  handlers: Readonly<Record<string, (event: FocusEvent & MouseEvent) => void>>
} {
  const [pointed, setPointed] = useState(false)
  const [focused, setFocused] = useState(false)
  const [scrolled, setScrolled] = useState(scrollY > 0)
  useEffect(() => {
    const look = (): void => setScrolled(scrollY > 0)
    addEventListener('scroll', look, { passive: true })
    return () => removeEventListener('scroll', look)
  }, [])
  const handlers = {
    onMouseEnter: () => setPointed(true),
    onMouseLeave: () => setPointed(false),
    onFocusIn: () => setFocused(true),
    onFocusOut: ({ currentTarget, relatedTarget }: FocusEvent) =>
      setFocused((currentTarget as Element).contains(relatedTarget as Node | null)),
  }
  return { reading: pointed || focused || scrolled, handlers }
}
