/** Formats a value as YAML in one line, such as `{ fault: hang, calls: 1 }`. Every list and map is in the flow style. */
export function flowYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowYaml).join(', ')}]`
  if (typeof value === 'string')
    return PLAIN.test(value) && !NOT_TEXT.test(value) ? value : quoted(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return `{ ${fields.map(([key, field]) => `${flowYaml(key)}: ${flowYaml(field)}`).join(', ')} }`
}

/** Texts that need no quotes. */
const PLAIN = /^[\w$./][\w $./-]*$/
/** Plain words that mean something else, and numbers. */
const NOT_TEXT = /^(?:true|false|null|yes|no|on|off|~|[-+.\d][\d._eE+-]*)$| $/i

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
