/** What the value of a header may be: nothing that would end it, and no character beyond Latin-1. */
export const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Whether a header can have a text. */
export function isForHeader(text: string): boolean {
  return HEADER_VALUE.test(text)
}
