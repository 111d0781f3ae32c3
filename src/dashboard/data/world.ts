/** The name of the world that the page shows, from its address. Undefined: the world without a key. */
export const world: string | undefined = nameIn(location.search)

function nameIn(search: string): string | undefined {
  const name = new URLSearchParams(search).get('world')
  return name === null || name === '' ? undefined : name
}

/** The address of a world, at a place such as `#/jobs`. It loads the page again. */
export function worldHref(name: string | undefined, place: string): string {
  const search = name === undefined ? '' : `?${new URLSearchParams({ world: name })}`
  return `${location.pathname}${search}${place}`
}

/** The address of the stream of the page's world. Browsers cannot send a header with it. */
export function streamUrl(): string {
  return world === undefined ? 'stream' : `stream?${new URLSearchParams({ world })}`
}
