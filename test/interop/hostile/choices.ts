import { withoutDrawn } from '../answer-text.js'
import type { Case } from './compare.js'
import { pathOf } from './request.js'
import type { Answer } from './socket.js'

/** Where the documentation says it: a section of a page, and words in it. */
interface Source {
  readonly page: string
  readonly section: string
  readonly words: string
}

function inFidelity(section: string, words: string): Source {
  return { page: 'fidelity.md', section, words }
}

/** A difference that we chose, and where a reader finds it. */
export interface Choice {
  readonly name: string
  readonly source: Source
  /** Whether the difference of a case is this one. It looks at the request and at both answers. */
  readonly isIt: (asked: Pair) => boolean
}

interface Pair extends Case {
  readonly path: string
  /** The first answers that differ. */
  readonly their: Answer
  readonly our: Answer
}

export const choices: readonly Choice[] = [
  {
    name: 'chats have errors of their own',
    source: {
      page: 'contract.md',
      section: 'Errors of the chat layer',
      words: 'The `type` is `BadRequestError`.',
    },
    isIt: ({ path, request, their, our }) =>
      /^\/v1\/chat\/completions\/?$/.test(path) &&
      request.method === 'POST' &&
      their.status === 200 &&
      (our.status === 400 || our.status === 404) &&
      bodyOf(our).startsWith('{"error":{"message":'),
  },
  {
    name: 'health needs a key',
    source: inFidelity('Keys and errors', 'Do health and system check need a key?'),
    isIt: ({ path, their, our }) =>
      /^\/v1\/(?:health|system-check)$/.test(path) &&
      their.status === 200 &&
      our.status === 401 &&
      bodyOf(our) === '{"detail":"Not authenticated"}',
  },
  {
    name: 'training data is read at once',
    source: inFidelity('Data', 'A missing file'),
    isIt: ({ path, their, our }) =>
      path === '/v1/preview/sft-training-jobs' &&
      their.status === 200 &&
      our.status === 400 &&
      bodyOf(our).startsWith('{"detail":"Training data is not available: '),
  },
  {
    name: 'a name that exists',
    source: inFidelity('Keys and errors', 'A model name that exists'),
    isIt: ({ path, their, our }) =>
      path === '/v1/preview/models' &&
      their.status === 200 &&
      ((our.status === 409 && bodyOf(our).includes('already exists in project')) ||
        (our.status === 200 && withoutBaseModel(their) === withoutBaseModel(our))),
  },
  {
    name: 'an unknown cursor',
    source: inFidelity('Jobs', 'An unknown cursor'),
    isIt: ({ path, request, their, our }) =>
      /\/(?:checkpoints|events)$/.test(path) &&
      request.target.includes('after') &&
      their.status === 200 &&
      our.status === 404 &&
      / not found: no (?:checkpoint|event) of this /.test(bodyOf(our)),
  },
  {
    name: 'a body that does not arrive',
    source: inFidelity('Keys and errors', 'A body that does not arrive'),
    isIt: ({ request, their, our }) => {
      const text = request.bytes.toString('latin1')
      return (
        their.status > 0 &&
        our === SILENCE &&
        /^(?:content-length|transfer-encoding):/im.test(text) &&
        text.endsWith('\r\n\r\n')
      )
    },
  },
  {
    name: 'a model with half of a surrogate pair',
    source: inFidelity('Data', 'A lone surrogate in a model'),
    isIt: ({ path, their, our }) =>
      path === '/v1/preview/models' &&
      bodyOf(their) === 'Internal Server Error' &&
      our.status === 200 &&
      /\\ud[89a-f]/.test(bodyOf(our)),
  },
  {
    name: 'another host name in `Host`',
    source: inFidelity('Keys and errors', 'Another host name in `Host`'),
    isIt: ({ our }) =>
      our.status === 403 &&
      /^\{"detail":"Host .* is not allowed\. Start the emulator with --allow-host /.test(
        bodyOf(our),
      ),
  },
  {
    name: 'the deepest JSON that is read',
    source: inFidelity('Keys and errors', 'JSON of 950 to 1,000 levels'),
    isIt: ({ request, their, our }) => {
      const isRefused = [their, our].map((answer) => bodyOf(answer) === UNREADABLE)
      const levels = levelsOf(request.bytes)
      return isRefused[0] !== isRefused[1] && levels >= 950 && levels <= 1000
    },
  },
  {
    name: 'a body after `Upgrade` is read',
    source: inFidelity('Keys and errors', 'A body after `Upgrade`'),
    isIt: ({ request, their }) =>
      /^upgrade:/im.test(request.bytes.toString('latin1')) &&
      /^connection: upgrade/im.test(request.bytes.toString('latin1')) &&
      bodyOf(their) ===
        '{"detail":[{"type":"missing","loc":["body"],"msg":"Field required","input":null}]}',
  },
]

/** The choice that explains a difference. */
export function choiceFor(asked: Case): Choice | undefined {
  const { request, theirs, ours } = asked
  const [their, our = SILENCE] = [theirs.at(-1), ours.at(-1)]
  if (!their || (our !== SILENCE && theirs.length !== ours.length)) return undefined
  const path = pathOf(request.target)
  return choices.find(({ isIt }) => isIt({ ...asked, path, their, our }))
}

const SILENCE: Answer = { status: 0, headers: new Map(), body: Buffer.alloc(0) }

function bodyOf({ body }: Answer): string {
  return body.toString()
}

function withoutBaseModel({ status, body }: Answer): string {
  const text = withoutDrawn(body.toString())
  return `${status} ${text.replace(/"base_model":"(?:[^"\\]|\\.)*"/, '')}`
}

const UNREADABLE = '{"detail":"There was an error parsing the body"}'

/** The most brackets that are open at once. */
function levelsOf(bytes: Buffer): number {
  let [open, most] = [0, 0]
  for (const byte of bytes) {
    if (byte === 0x5b || byte === 0x7b) most = Math.max(most, ++open)
    else if (byte === 0x5d || byte === 0x7d) open--
  }
  return most
}
