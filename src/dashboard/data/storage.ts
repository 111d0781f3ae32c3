/** Where a browser remembers texts: until the tab is closed, or for all visits. */
type Place = 'sessionStorage' | 'localStorage'

/** The text with this name. Null if there is none, or if the browser does not tell. */
export function remembered(place: Place, name: string): string | null {
  try {
    return globalThis[place].getItem(name)
  } catch {
    return null
  }
}

/** Remembers a text, or forgets it. A browser may refuse to store anything, or so much: the page goes on without. */
export function remember(place: Place, name: string, text: string | undefined): void {
  try {
    if (text === undefined) globalThis[place].removeItem(name)
    else globalThis[place].setItem(name, text)
  } catch {
    // It stays on the page.
  }
}
