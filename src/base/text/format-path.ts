/** Formats the way to a part of a JSON value: `jobs[0].timeline[1]`. The whole value is an empty text. */
export function formatPath(path: readonly (string | number)[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
}
