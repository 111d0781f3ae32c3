import { useEffect, useState } from 'preact/hooks'
import type { Column } from './live-table.js'

/** The width below which a table leaves out its wide columns, as in the style. */
const NARROW = '(max-width: 1180px)'

/** How many columns of a table are shown. A detail that spans more would take width from the others. */
export function useShownColumns<T>(columns: readonly Column<T>[]): number {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches)
  useEffect(() => {
    const media = matchMedia(NARROW)
    const follow = (): void => setNarrow(media.matches)
    media.addEventListener('change', follow)
    return () => media.removeEventListener('change', follow)
  }, [])
  return isNarrow ? columns.filter(([, , options]) => !options?.wide).length : columns.length
}
