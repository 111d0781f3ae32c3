import { Template } from '@huggingface/jinja'
import { readsParts } from './template-messages.js'

/** A chat template. `render` throws what the template raises, or why it cannot be parsed. */
export interface ChatTemplate {
  render: (variables: Record<string, unknown>, now: number) => string
  /** Whether it reads the content of messages part by part. */
  asParts: boolean
}

/** Parses a chat template. One that cannot be parsed fails with the first chat, as on the server. */
export function chatTemplate(source: string): ChatTemplate {
  const asParts = readsParts(source)
  try {
    const template = new Template(source)
    callOurs(template.parsed)
    return {
      asParts,
      render: (variables, now) => template.render({ ...variables, ...functionsAt(now) }),
    }
  } catch (error) {
    return {
      asParts,
      render() {
        throw error
      },
    }
  }
}

type Node = Record<string, unknown>

const PREFIX = 'svtrain_'

/**
 * Replaces functions of the library. Its `strip` knows no characters, which most templates name, and its
 * `strftime_now` reads the real clock.
 */
function callOurs(part: unknown): void {
  if (Array.isArray(part)) part.forEach(callOurs)
  if (typeof part !== 'object' || part === null) return
  const node = part as Node
  Object.values(node).forEach(callOurs)
  if (node['type'] === 'Identifier' && node['value'] === 'strftime_now') {
    node['value'] = `${PREFIX}strftime_now`
  }
  if (node['type'] !== 'CallExpression') return
  const { callee, args } = node as { callee: Node; args: unknown[] }
  const { value: method } = Object(callee['property']) as { value?: unknown }
  const isMethod = callee['type'] === 'MemberExpression' && callee['computed'] !== true
  if (!isMethod || !METHODS.has(method)) return
  node['callee'] = { type: 'Identifier', value: `${PREFIX}${String(method)}` }
  node['args'] = [callee['object'], ...args]
}

const METHODS: ReadonlySet<unknown> = new Set(['strip', 'lstrip', 'rstrip'])

function functionsAt(now: number): Record<string, unknown> {
  return {
    [`${PREFIX}strip`]: (text: string, characters?: unknown) => {
      return stripEnd(stripStart(text, characters), characters)
    },
    [`${PREFIX}lstrip`]: stripStart,
    [`${PREFIX}rstrip`]: stripEnd,
    [`${PREFIX}strftime_now`]: (format: string) => formatTime(format, new Date(now)),
  }
}

/** What counts as a space in Python, but not in JavaScript. */
const PYTHON_SPACES = '\u001C\u001D\u001E\u001F\u0085'

/** Without characters, removes what Python counts as spaces. */
function stripStart(text: string, characters?: unknown): string {
  let at = 0
  while (at < text.length && isStripped(text[at]!, characters)) at++
  return text.slice(at)
}

function stripEnd(text: string, characters?: unknown): string {
  let end = text.length
  while (end > 0 && isStripped(text[end - 1]!, characters)) end--
  return text.slice(0, end)
}

function isStripped(character: string, characters: unknown): boolean {
  if (typeof characters === 'string') return characters.includes(character)
  return PYTHON_SPACES.includes(character) || (/\s/.test(character) && character !== '\uFEFF')
}

const MONTHS =
  'January February March April May June July August September October November December'.split(' ')
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** Formats a time in UTC, as `strftime` does in Python. */
function formatTime(format: string, time: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  const [day, month] = [DAYS[time.getUTCDay()]!, MONTHS[time.getUTCMonth()]!]
  const values: Readonly<Record<string, string>> = {
    Y: String(time.getUTCFullYear()),
    y: two(time.getUTCFullYear() % 100),
    m: two(time.getUTCMonth() + 1),
    d: two(time.getUTCDate()),
    B: month,
    b: month.slice(0, 3),
    A: day,
    a: day.slice(0, 3),
    H: two(time.getUTCHours()),
    M: two(time.getUTCMinutes()),
    S: two(time.getUTCSeconds()),
    '%': '%',
  }
  return format.replaceAll(/%(.)/g, (written, code: string) => values[code] ?? written)
}
