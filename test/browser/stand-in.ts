import type { Middleware } from '../../src/adapters/express.js'
import type { Emulator } from '../../src/index.js'

/** Answers some calls of the control API in the emulator's place: `{ 'GET deliveries': … }`. */
export function standIn(answers: Readonly<Record<string, () => unknown>>): Middleware {
  return ({ method, url = '/' }, response, next) => {
    const path = /^\/_emulator\/([^?]*)/.exec(url)?.[1]
    const answer = answers[`${method} ${path}`]
    if (!answer) return next()
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer()))
  }
}

/** The journal's requests, as the control API lists them. */
export function requestsOf({ journal }: Emulator): unknown {
  const requests = journal.entries.filter(({ kind }) => kind === 'request')
  return { requests: requests.map((entry) => ({ ...entry, at: new Date(entry.at).toISOString() })) }
}

export const DELIVERIES = [
  {
    id: 'b2c1f6de-1a7e-4be2-9a43-0d7a6c1f2e11',
    automation: 'run-state',
    webhook: 'my-hook',
    event: 'RUN_STATE',
    state: 'delivered',
    created_at: '2026-01-01T00:00:08.000Z',
    attempts: [
      {
        attempt: 1,
        at: '2026-01-01T00:00:08.000Z',
        status: 503,
        took: 12.4,
        response_excerpt: 'try again',
      },
      {
        attempt: 2,
        at: '2026-01-01T00:00:09.000Z',
        status: 200,
        took: 3.1,
        response_excerpt: 'ok',
      },
    ],
    body: '{"event_type":"RUN_STATE","run_state":"finished","note":"<script>document.title=1</script>"}',
    headers: {
      'content-type': 'application/json',
      'x-service-signature': '5d41402abc4b2a76b9719d91',
    },
    verdict: 'valid',
    diagnosis: null,
  },
  {
    id: '0f9e8d7c-6b5a-4c3d-8e2f-1a0b9c8d7e6f',
    automation: 'alias-added',
    webhook: 'deploy',
    event: 'ADD_ARTIFACT_ALIAS',
    state: 'failed',
    created_at: '2026-01-01T00:00:08.500Z',
    attempts: [
      {
        attempt: 1,
        at: '2026-01-01T00:00:08.500Z',
        took: 1.2,
        error: 'connect ECONNREFUSED 127.0.0.1:9',
      },
    ],
    body: '{"event_type":"ADD_ARTIFACT_ALIAS","alias":"production"}',
    headers: {
      'content-type': 'application/json',
      'x-service-signature': 'sha256=8b1a9953c4611296',
    },
    verdict: 'invalid',
    diagnosis: 'The signature has the prefix "sha256=", where bare hex is due.',
  },
]
