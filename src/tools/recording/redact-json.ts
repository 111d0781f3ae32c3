import { parseJson } from '../../base/text/json-text.js'
import { HIDDEN } from '../../base/text/redaction/hidden.js'
import { Redactor } from '../../base/text/redaction/redact.js'
import { isSecretName } from '../../base/text/redaction/secret-names.js'
import { SecretSearch } from '../../base/text/redaction/secret-search.js'
import { UUID } from '../../base/text/uuid.js'
import type { Fields } from './exchanges.js'
import { replacement } from './replaced-text.js'
import type { Secrets } from './secrets.js'

/** Fields whose texts describe the structure of a body: names, ids, states, times and settings. */
const KEPT = new Set(
  `id object type kind role model name status state phase event finish_reason stop_reason
  created created_at updated_at started_at completed_at ended_at expires_at timestamp start_time time
  model_id model_name base_model run_id entity project registry collection alias version digest owned_by root parent
  first_id last_id after before cursor next_cursor order job_id training_job_id task_id batch_id request_id event_id
  tool_call_id call_id item_id tool_use_id previous_response_id response_id message_id
  system_fingerprint service_tier importance_sampling_level kl_penalty_source kl_ref_adapter_path loss_fn
  assistant_turns batch_size tool_choice encoding_format reasoning_effort effort
  training_data_url artifact artifact_path path media_type mime_type code param loc level severity unit`.split(
    /\s+/,
  ),
)

/** Fields with a structure of the user's own, such as the arguments of a tool. Nothing in them stays. */
const FREE = new Set(
  `arguments partial_json parameters input_schema schema json_schema metadata extra kwargs
  chat_template_kwargs ctx document documents logs exceptions instructions`.split(/\s+/),
)

/** Fields whose numbers spell a text. */
const CODED = new Set(
  `bytes tokens token_ids prompt_token_ids prompt input input_ids output_ids prompt_tokens_ids`.split(
    /\s+/,
  ),
)

/** Fields that say what went wrong. */
const PROBLEMS = new Set(['message', 'msg', 'detail', 'error', 'error_message', 'reason', 'title'])

const ID = new RegExp(`^${UUID.source}$`, 'i')
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/
const LONGEST_NAME = 256
const NAME = /^[^\s"'{}<>]{1,100}$/

/** A text that is shorter may be a part of any word, so an error that repeats it does not show it. */
const SHORTEST_ECHO = 4
const MOST_ECHOES = 500
const MOST_ECHOED = 200_000

/** The contents of a request, so that an error that repeats them can be redacted. */
export class Contents {
  readonly #texts = new Set<string>()
  #length = 0
  #tooMany = false
  #search: SecretSearch | undefined

  add(text: string): void {
    if (text.length < SHORTEST_ECHO || this.#tooMany || this.#texts.has(text)) return
    this.#length += text.length
    if (this.#texts.size >= MOST_ECHOES || this.#length > MOST_ECHOED) {
      this.#tooMany = true
      this.#texts.clear()
    } else this.#texts.add(text)
    this.#search = undefined
  }

  /** Returns a text of an error without contents. If there are too many to compare with, nothing is left. */
  removeFrom(text: string): string {
    if (this.#tooMany) return replacement(text.length)
    this.#search ??= searchFor(this.#texts)
    // Frameworks repeat the value that they refuse.
    return new Redactor()
      .redact(text, { own: this.#search })
      .replaceAll(/(['"](?:input|ctx)['"]: ).*/gs, `$1${HIDDEN}`)
      .replaceAll(/(\bvalue=)(?!\d+(?:\.\d+)?\)).*/gs, `$1${HIDDEN}`)
  }
}

function searchFor(texts: Iterable<string>): SecretSearch {
  const search = new SecretSearch({ shortAnywhere: true })
  for (const text of texts) search.add(text)
  return search
}

export interface Redaction {
  readonly secrets: Secrets
  /** What the request says. Undefined: contents stay, and only secrets are replaced. */
  readonly contents: Contents | undefined
  /** Whether the body says what went wrong, because the status is 400 or above. */
  readonly isProblem?: boolean
}

/** Returns a parsed JSON body without secrets, and without contents. All lists keep their length. */
export function redactJson(body: unknown, redaction: Redaction): unknown {
  return new JsonRedactor(redaction).value(body, { key: '', parent: '', kept: false })
}

/** Where a value is. */
interface Place {
  /** The key of the value, or of the list that holds it. */
  readonly key: string
  /** The key of the object around it. */
  readonly parent: string
  /** Whether texts are kept, because they belong to an event of a job. */
  readonly kept: boolean
  /** Whether the value is in a list. */
  readonly listed?: boolean
}

class JsonRedactor {
  readonly #secrets: Secrets
  readonly #contents: Contents | undefined
  readonly #isProblem: boolean

  constructor({ secrets, contents, isProblem = false }: Redaction) {
    this.#secrets = secrets
    this.#contents = contents
    this.#isProblem = isProblem
  }

  value(value: unknown, place: Place): unknown {
    if (typeof value === 'string') return this.#text(value, place)
    if (typeof value === 'number') return this.#isHiddenNumber(place) ? 0 : value
    if (Array.isArray(value)) {
      if (this.#isFree(place)) return value.map((each) => this.#nothingOf(each))
      return value.map((each) => this.value(each, { ...place, listed: true }))
    }
    if (typeof value === 'object' && value !== null) return this.#fields(value as Fields, place)
    return value
  }

  #text(text: string, place: Place): string {
    const { key, kept } = place
    if (text === '') return ''
    if (isSecretName(key, 'field')) return HIDDEN
    if (this.#contents === undefined) return this.#secrets.redact(text)
    if (this.#saysWhatWentWrong(place)) return this.#contents.removeFrom(this.#secrets.redact(text))
    if (
      kept ||
      (KEPT.has(key) && text.length <= LONGEST_NAME) ||
      (!FREE.has(key) && (ID.test(text) || TIME.test(text)))
    ) {
      return this.#secrets.redact(text)
    }
    return this.#replaced(text)
  }

  #replaced(text: string): string {
    this.#contents!.add(text)
    // The arguments of a tool are a text with JSON.
    if (/^\s*[[{]/.test(text)) this.#addAll(parseJson(text))
    return replacement(text.length)
  }

  #saysWhatWentWrong({ key, parent }: Place): boolean {
    if (key === 'error_message') return true
    if (parent === 'error' || parent === 'incomplete_details') return PROBLEMS.has(key)
    return this.#isProblem && (PROBLEMS.has(key) || key === '')
  }

  #isHiddenNumber({ key, listed = false }: Place): boolean {
    return isSecretName(key, 'field') || (listed && this.#contents !== undefined && CODED.has(key))
  }

  #isFree({ key, parent }: Place): boolean {
    return (
      this.#contents !== undefined && (FREE.has(key) || (key === 'input' && parent === 'detail'))
    )
  }

  #fields(fields: Fields, place: Place): unknown {
    if (isSecretName(place.key, 'field') && !isToken(fields)) return HIDDEN
    const { key, kept } = place
    if (this.#isFree(place)) return this.#nothingOf(fields)
    // The arguments of a tool, and the value that was refused, are objects named `input`.
    if (this.#contents && key === 'input') return this.#nothingOf(fields)
    const isTokens = this.#contents !== undefined && key === 'top_logprobs' && !isToken(fields)
    const isEvent = typeof fields.type === 'string' && /^(?:training|gradient)_/.test(fields.type)
    const result: Record<string, unknown> = {}
    for (const name of Object.keys(fields)) {
      const shown = isTokens ? this.#replaced(name) : this.#name(name)
      const below = { key: name, parent: key, kept: kept || (isEvent && name === 'data') }
      define(result, unused(result, shown), this.#field(fields, name, below))
    }
    return result
  }

  #field(fields: Fields, name: string, place: Place): unknown {
    // In log probabilities, `token` is a text of the model.
    if (name === 'token' && isToken(fields)) {
      const token = fields.token as string
      return this.#contents ? this.#replaced(token) : this.#secrets.redact(token)
    }
    return this.value(fields[name], place)
  }

  #name(name: string): string {
    const shown = this.#secrets.redact(name)
    if (this.#contents === undefined || NAME.test(shown)) return shown
    return this.#replaced(name)
  }

  /** Replaces a value of any kind. Only its kind is left. */
  #nothingOf(value: unknown): unknown {
    if (typeof value === 'string') return this.#replaced(value)
    if (typeof value === 'number') return 0
    if (typeof value !== 'object' || value === null) return value
    this.#addAll(value)
    const text = replacement(JSON.stringify(value).length)
    return Array.isArray(value) ? value.map((each) => this.#nothingOf(each)) : { redacted: text }
  }

  #addAll(value: unknown): void {
    if (typeof value === 'string') this.#contents!.add(value)
    if (typeof value !== 'object' || value === null) return
    for (const [name, each] of Object.entries(value)) {
      if (!Array.isArray(value)) this.#contents!.add(name)
      this.#addAll(each)
    }
  }
}

function isToken(fields: Fields): boolean {
  return typeof fields.token === 'string' && 'logprob' in fields
}

/** Two names that are replaced may become the same. */
function unused(fields: Fields, name: string): string {
  if (!Object.hasOwn(fields, name)) return name
  for (let number = 2; ; number++) {
    if (!Object.hasOwn(fields, `${name} ${number}`)) return `${name} ${number}`
  }
}

/** Also sets `__proto__`, which an assignment would not. */
function define(fields: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(fields, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}
