import type { Page } from 'playwright-core'

/** What does not fit. */
interface Unfitting {
  /** The texts of elements that are cut. */
  readonly cut: string[]
  /** How many pixels the page scrolls sideways. */
  readonly sideways: number
  /** The same for each table that scrolls by itself. */
  readonly tables: number[]
}

export const FITS: Pick<Unfitting, 'cut' | 'sideways'> = { cut: [], sideways: 0 }

/** What a page does not have room for, among these elements. */
export function unfitting(
  page: Page,
  selector = 'td.number, td .progress, td .badge, th',
): Promise<Unfitting> {
  return page.evaluate((chosen): Unfitting => {
    const overOf = (each: Element): number => each.scrollWidth - each.clientWidth
    const cut = [...document.querySelectorAll(chosen)].filter((each) => overOf(each) > 1)
    return {
      cut: cut.map(({ textContent }) => textContent),
      sideways: overOf(document.documentElement),
      tables: [...document.querySelectorAll('.scroller')].map(overOf).filter(Boolean),
    }
  }, selector)
}
