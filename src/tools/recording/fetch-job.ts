import { cancelTimer, startTimer } from '../../base/clock/wall.js'
import { networkError } from '../../base/text/network-error.js'
import { DOCUMENTED_ADDRESSES } from '../../base/text/vendor/hosts.js'
import { messageOf, readJson } from '../../service/contract/answer-text.js'
import { defaultMessage } from '../../service/contract/default-messages.js'
import { fieldsOf, listIn, textIn, type Fields } from './exchanges.js'
import { RecordingError } from './recording-error.js'
import { Secrets } from './secrets.js'

/** What the service has of one job. */
export interface FetchedJob {
  readonly id: string
  /** The base URL of the training API. */
  readonly url: string
  /** The answer to `GET /preview/training-jobs/{training_job_id}`. */
  readonly record: Fields
  /** In the order of the service. */
  readonly events: readonly Fields[]
  /** Those of its model, by step. Undefined: the service does not list them. */
  readonly checkpoints: readonly Fields[] | undefined
}

/** Which job to read, and how. */
export interface FetchJobOptions {
  readonly id: string
  /** The base URL of the training API, such as `https://api.example.com/v1`. */
  readonly url: string
  /** The API key. No message has it. */
  readonly key: string
  /** The variable that the key is from, for messages. */
  readonly keyName: string
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
}

/**
 * Reads a job from the service: its record, all of its events, and the checkpoints of its model. It only sends `GET`.
 *
 * @throws {RecordingError} When the service refuses the key, has no such job, cannot be reached, or answers something
 * else. The message says what to do.
 * @example
 * const job = await fetchJob({ id, url: 'https://api.example.com/v1', key, keyName: 'SVTRAIN_API_KEY' })
 * console.log(job.events.length)
 */
export async function fetchJob(options: FetchJobOptions): Promise<FetchedJob> {
  const { id } = options
  const service = new Service(options)
  const path = `/preview/training-jobs/${encodeURIComponent(id)}`
  const record = fieldsOf(await service.read(path))
  const events = (await service.list(`${path}/events`))!
  const modelId = textIn(record['model_id'])
  const checkpoints =
    modelId === undefined
      ? undefined
      : await service.list(`/preview/models/${encodeURIComponent(modelId)}/checkpoints`, true)
  return { id, url: service.url, record, events, checkpoints }
}

/** How long the service may take for one answer, in milliseconds. */
const LONGEST = 30_000

/** The longest page that the service has. */
const PAGE = 100

/** With more pages than this, no scenario can hold the job. */
const MOST_PAGES = 1000

class Service {
  /** Without a slash at the end. */
  readonly url: string
  readonly #options: FetchJobOptions
  readonly #secrets: Secrets

  constructor(options: FetchJobOptions) {
    this.#options = options
    this.url = options.url.replace(/\/+$/, '')
    this.#secrets = new Secrets([options.key])
  }

  /** Returns the items of all pages. Undefined if they may be missing, and are. */
  async list(path: string, mayBeMissing = false): Promise<Fields[] | undefined> {
    const items: Fields[] = []
    const cursors = new Set<string>()
    let query = `limit=${PAGE}`
    for (let page = 0; page < MOST_PAGES; page++) {
      const answer = await this.read(`${path}?${query}`, mayBeMissing)
      if (answer === undefined) return undefined
      const { data, has_more } = fieldsOf(answer)
      if (!Array.isArray(data)) {
        throw new RecordingError(
          `The service answered GET ${path} without a list. ${this.#checkUrl}`,
        )
      }
      items.push(...listIn(data).map(fieldsOf))
      const last = textIn(items.at(-1)?.['id'])
      if (has_more !== true || data.length === 0) return items
      if (last === undefined || cursors.has(last)) {
        throw new RecordingError(
          `The service says that GET ${path} has more pages, but sends ${JSON.stringify(last ?? null)} again. Save the pages yourself, and make the scenario from the file: svtrain-emulator scenarios from events.json.`,
        )
      }
      cursors.add(last)
      query = `limit=${PAGE}&after=${encodeURIComponent(last)}`
    }
    throw new RecordingError(
      `GET ${path} has more than ${MOST_PAGES * PAGE} items, which no scenario can hold.`,
    )
  }

  /** Returns an object or a list. Undefined only for a 404 that may be. */
  async read(path: string, mayBeMissing = false): Promise<unknown> {
    const answer = await this.#send(path)
    const { status, text } = answer
    if (status === 404 && mayBeMissing) return undefined
    if (status >= 300) throw this.#refusal(path, answer)
    const read = readJson(this.#secrets.redact(text))
    if (typeof read?.value === 'object' && read.value !== null) return read.value
    throw new RecordingError(
      `The service answered GET ${path} with something else than a JSON object. ${this.#checkUrl}`,
    )
  }

  async #send(path: string): Promise<Answer> {
    const { fetch: send = fetch, key } = this.#options
    const stop = new AbortController()
    const timer = startTimer(LONGEST, () => {
      stop.abort(new Error(`there was no complete answer after ${LONGEST / 1000} s`))
    })
    try {
      const response = await send(this.url + path, {
        // Another host must not get the key.
        redirect: 'manual',
        signal: stop.signal,
        headers: { accept: 'application/json', authorization: `Bearer ${key}` },
      })
      const location = response.headers.get('location') ?? undefined
      return { status: response.status, text: await response.text(), location }
    } catch (error) {
      throw new RecordingError(
        `Failed to reach ${this.url}: ${this.#secrets.redact(networkError(error))}. Check --url and the network.`,
        { cause: error },
      )
    } finally {
      cancelTimer(timer)
    }
  }

  #refusal(path: string, { status, text, location }: Answer): RecordingError {
    const { id, keyName } = this.#options
    const said = messageOf(this.#secrets.redact(text)) ?? ''
    const answer = said === '' ? String(status) : `${status}: ${said}`
    const place = location === undefined ? '' : ` to ${this.#secrets.redact(location)}`
    const refusal = { id, keyName, path, status, said, answer, place, checkUrl: this.#checkUrl }
    return new RecordingError((REFUSALS[status] ?? otherRefusal)(refusal))
  }

  get #checkUrl(): string {
    const example = DOCUMENTED_ADDRESSES.find(({ api }) => api === 'training')!.url
    return `--url is ${this.url}; it takes the base URL of the training API, such as ${example}.`
  }
}

interface Answer {
  status: number
  text: string
  location: string | undefined
}

/** A refusal of the service, for the message about it. Secrets are not in it. */
interface Refusal extends Pick<FetchJobOptions, 'id' | 'keyName'> {
  readonly path: string
  readonly status: number
  /** What the service says. Empty: nothing that is known. */
  readonly said: string
  /** The status, and what the service says. */
  readonly answer: string
  /** Where the answer leads, if it is a redirect. */
  readonly place: string
  readonly checkUrl: string
}

function badKey({ keyName, answer }: Refusal): string {
  return `The service refused the key in ${keyName} (${answer}). Set ${keyName} to a key of the team that owns the job.`
}

/** Says what a text is that is no id of a job. */
function idHint(id: string): string {
  if (/[:@/]/.test(id)) {
    return ' This is the name of a checkpoint: `svtrain-emulator trace --checkpoint` shows which job of a running emulator made it.'
  }
  return /^[\da-f]{8}$/i.test(id)
    ? ' This is the beginning of an id: a report has the whole one in its table of jobs.'
    : ''
}

const WHICH_ID =
  'It is the id that the call that started the job answered. Models, checkpoints and deliveries have others.'

/** What both APIs answer to a path that they do not have. */
const NO_PATH = new Set([defaultMessage(404, 'training'), defaultMessage(404, 'inference')])

/** What to say about a status that has one meaning. */
const REFUSALS: Readonly<Record<number, (refusal: Refusal) => string>> = {
  401: badKey,
  403: badKey,
  404: ({ id, keyName, path, said, answer, checkUrl }) =>
    NO_PATH.has(said)
      ? `There is no GET ${path} (${answer}), so this is probably not the training API. ${checkUrl}${idHint(id)}`
      : `The service has no job ${JSON.stringify(id)} for the key in ${keyName} (${answer}).${idHint(id)} Check the id, and whose key it is. ${WHICH_ID} ${checkUrl}`,
  422: ({ id, answer }) =>
    `${JSON.stringify(id)} is not the id of a job (${answer}).${idHint(id)} ${WHICH_ID}`,
}

function otherRefusal({ path, status, answer, place, checkUrl }: Refusal): string {
  if (status < 400) {
    return `The service redirects GET ${path}${place} (${status}). The key was not sent there. Give --url the right address.`
  }
  const advice = status >= 500 || PASSING.includes(status) ? 'Try again later.' : checkUrl
  return `The service answered GET ${path} with ${answer}. ${advice}`
}

/** The statuses below 500 with which the same call may succeed later. */
const PASSING = [408, 425, 429]
