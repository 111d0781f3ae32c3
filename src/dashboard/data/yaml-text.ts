/** Formats a JSON value as YAML, as a person would write it in a scenario. */
export function yamlText(value: unknown, indent = ''): string {
  if (Array.isArray(value)) {
    if (isFlow(value)) {
      return `${indent}[${value.map(scalar).join(', ')}]\n`
    }
    return value
      .map((item) => `${indent}- ${yamlText(item, `${indent}  `).slice(indent.length + 2)}`)
      .join('')
  }
  if (typeof value !== 'object' || value === null) return `${indent}${scalar(value)}\n`
  const entries = Object.entries(value).filter(([, part]) => part !== undefined)
  if (entries.length === 0) return `${indent}{}\n`
  return entries.map(([key, part]) => `${indent}${scalar(key)}:${partText(part, indent)}`).join('')
}

function partText(part: unknown, indent: string): string {
  const nested = typeof part === 'object' && part !== null && Object.keys(part).length > 0
  if (!nested || isFlow(part)) return ` ${yamlText(part).trimEnd()}\n`
  return `\n${yamlText(part, `${indent}  `)}`
}

/** Whether a value is a list in one line: nothing in it has parts. */
function isFlow(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null)
}

/** Texts that YAML would read as something else, or not at all, are in quotes. */
function scalar(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  const plain = /^[A-Za-z_/][\w ./*?-]*$/.test(value) && value.trim() === value
  const word = /^(?:true|false|null|yes|no|on|off|y|n|nan|inf)$/i.test(value)
  const duration = /^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/.test(value)
  return (plain && !word) || duration ? value : JSON.stringify(value)
}
