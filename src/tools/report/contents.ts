import { counted } from '../../base/text/counted.js'
import { parseJson } from '../../base/text/json-text.js'

/** Replaces a body by what it looks like. The rest of a report is the same. */
export function withoutContents(text: string): string {
  if (text === '') return text
  const parsed = parseJson(text)
  if (parsed !== undefined) return JSON.stringify(hidden(parsed, { key: '', inside: false }))
  if (!/^(?:data|event|id|retry|:)/m.test(text)) return lengthText(text)
  return text.split('\n').map(hiddenLine).join('\n')
}

/** A line of a stream of events. */
function hiddenLine(line: string): string {
  const [, start, data] = /^(data: ?)(.*)$/.exec(line) ?? []
  if (start === undefined || data === undefined) {
    return /^(?:event: ?[\w.]+|retry: ?\d+)?$/.test(line) ? line : lengthText(line)
  }
  return data === '[DONE]' ? line : start + withoutContents(data)
}

/** Where a value is: below which key, and whether it is a part of messages or similar. */
interface Where {
  readonly key: string
  readonly inside: boolean
}

function hidden(value: unknown, { key, inside }: Where): unknown {
  if (typeof value === 'string') return isOpen(value, { key, inside }) ? value : lengthText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    // The ids of tokens are contents, too.
    const isNumbers = value.length > 0 && value.every((each) => typeof each === 'number')
    if (isNumbers) return `[${value.length} numbers]`
    return value.map((each: unknown) => hidden(each, { key, inside }))
  }
  const entries = Object.entries(value).map(([name, each], index) => {
    const isName = /^[a-z_]\w{0,63}$/i.test(name)
    const below = inside || CONTENTS.has(name)
    return [isName ? name : `[key ${index + 1}]`, hidden(each, { key: name, inside: below })]
  })
  return Object.fromEntries(entries)
}

function isOpen(value: string, { key, inside }: Where): boolean {
  if (value === '') return true
  if (!inside && MESSAGES_OF_ERRORS.has(key)) return true
  return (OPEN.has(key) || (!inside && OPEN_OUTSIDE.has(key))) && /^[\w.:/@+-]{1,200}$/.test(value)
}

/** What clients and models write is below these keys. */
const CONTENTS = new Set(
  (
    'messages messages_and_choices trajectory_groups trajectories logs metadata choices ' +
    'content delta input output prompt instructions tools text completion ' +
    'additional_histories system response_format user item part'
  ).split(' '),
)

/** Words of the API, which are no contents anywhere. */
const OPEN = new Set(['type', 'role', 'object', 'finish_reason', 'stop_reason', 'status'])

/** Words of the API outside of messages. */
const OPEN_OUTSIDE = new Set(
  (
    'id model model_id job_id project entity name base_model run_id state code param kind ' +
    'event created_at updated_at training_start training_end service_tier ' +
    'system_fingerprint reasoning_effort loc'
  ).split(' '),
)

const MESSAGES_OF_ERRORS = new Set(['detail', 'msg', 'message', 'error_message'])

function lengthText(text: string): string {
  return `[${counted(text.length, 'character')}]`
}
