const TOKEN = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g

/**
 * Writes numbers that JSON does not have as texts, such as `"NaN"`. The SDK sends them bare, in a history, a summary
 * or a config.
 */
export function quoteNotFinite(json: string): string {
  if (!json.includes('NaN') && !json.includes('Infinity')) return json
  return json.replaceAll(TOKEN, (token) => (token.startsWith('"') ? token : `"${token}"`))
}
