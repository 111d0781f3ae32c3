/** The heading above the command that runs the same again: on a page, and in the output of a command. */
export const RUN_AGAIN = 'Run it again'

/** Whether a text is a page, such as a report. */
export function isPage(text: string): boolean {
  return /^\s*<(?:!doctype html|html)/i.test(text)
}

/** Whether a text looks like a HAR file. */
export function looksLikeHar(text: string): boolean {
  return /^\uFEFF?\s*\{[^{}[\]]*"log"\s*:/.test(text.slice(0, 1000))
}

/** What a text holds from which a scenario can be made, in words. Undefined: it is something else. */
export function evidenceIn(text: string): string | undefined {
  if (isPage(text)) return 'a page, such as a report'
  if (looksLikeHar(text)) return 'a HAR file'
  return /^\s*\{"type":"recording"/.test(text) ? 'a recording' : undefined
}
