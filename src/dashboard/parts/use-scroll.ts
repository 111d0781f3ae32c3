import { useEffect } from 'preact/hooks'

/** How long a page may take to load what was below the scroll position, in milliseconds. */
const PATIENCE = 2000

interface ScrollState {
  y?: number
}

/**
 * Scrolls to the top of a new page. After Back or a reload, scrolls to where the user was, as soon as the
 * page is long enough. The history keeps the position.
 */
export function useScroll(place: string): void {
  useEffect(() => {
    history.scrollRestoration = 'manual'
    const remember = (): void => {
      history.replaceState({ y: scrollY } satisfies ScrollState, '')
    }
    addEventListener('scrollend', remember)
    return () => removeEventListener('scrollend', remember)
  }, [place])
  useEffect(() => {
    const { y = 0 } = (history.state ?? {}) as ScrollState
    scrollTo(0, y)
    if (y === 0) return
    const until = Number(document.timeline.currentTime) + PATIENCE
    let frame = requestAnimationFrame(function look(now) {
      scrollTo(0, y)
      if (Math.abs(scrollY - y) > 1 && now < until) frame = requestAnimationFrame(look)
    })
    const stop = (): void => cancelAnimationFrame(frame)
    addEventListener('wheel', stop, { passive: true })
    addEventListener('keydown', stop)
    return () => {
      stop()
      removeEventListener('wheel', stop)
      removeEventListener('keydown', stop)
    }
  }, [place])
}
