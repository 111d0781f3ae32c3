// eslint-disable-next-line no-control-regex
const ESCAPES = /\u001b\[[\d;?]*[A-Za-z]/g

/** What a terminal would show of an output: a bar of progress as it was at last, and no codes. */
export function shownOutput(text: string): string {
  const lines = text.replaceAll(ESCAPES, '').split('\n')
  return lines.map((line) => line.split('\r').findLast((part) => part !== '') ?? '').join('\n')
}
