import type { Page } from '../contract/page.js'

/** One page in the service's envelope (specification 2.1). */
export function toPage<T extends { id: string }>(data: T[], hasMore: boolean): Page<T> {
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? '',
    last_id: data.at(-1)?.id ?? '',
    has_more: hasMore,
  }
}

/** The cursor of a request. An empty one is none, as it is to a server that asks `if after:`. */
export function cursorOf({ after }: { after?: string | undefined }): string | undefined {
  return after === '' ? undefined : after
}
