/** The ends of texts, what is no end, and the numbers. A text may be too long for one match of an expression. */
const TOKEN = /"|\\["\\]|-?Infinity|NaN/g

/**
 * Writes numbers that JSON does not have as texts, such as `"NaN"`. The SDK sends them bare, in a history, a summary
 * or a config.
 */
export function quoteNotFinite(json: string): string {
  if (!json.includes('NaN') && !json.includes('Infinity')) return json
  let isInText = false
  return json.replaceAll(TOKEN, (token) => {
    if (token === '"') isInText = !isInText
    return isInText || token === '"' ? token : `"${token}"`
  })
}
