/** What both comparisons with the framework know about answers. */

/** The headers that clients act on. */
export const HEADERS = ['content-type', 'allow', 'location', 'www-authenticate'] as const

/**
 * Whether a good answer of this path is for the service alone to give: the framework program knows no chat, and nothing
 * of queues, base models and events.
 */
export function isInvented(path: string): boolean {
  return INVENTED.test(path)
}

const INVENTED =
  /^\/v1\/(?:chat\/completions\/?|system-check|preview\/base-models|preview\/training-jobs\/[^/]+\/events)$/

/** A good answer, with a star for each id that a server draws. A job is left with what documents name. */
export function withoutDrawn(text: string): string {
  if (/^\{"id":"[^"]*","object":"training_job".*\}$/.test(text)) return '{"id":"*"}'
  return text
    .replace(/^\{"id":"[0-9a-f-]{36}"/, '{"id":"*"')
    .replace(/"run_id":(?:null|"[^"]*")\}$/, '"run_id":"*"}')
}
