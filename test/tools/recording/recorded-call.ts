import {
  Recorder,
  type RecorderOptions,
  type SentRequest,
} from '../../../src/tools/recording/recorder.js'
import type { RecordingLine } from '../../../src/tools/recording/recording.js'

interface Answered {
  status?: number
  headers?: Record<string, string>
  body: object | string
}

interface RecordedCall {
  /** The whole recording. */
  text: string
  lines: RecordingLine[]
  /** What it has of the body of the request, and of that of the answer. */
  sent: string
  received: string
}

/** Records a call with its answer, which is JSON unless its headers say otherwise. */
export function recordedCall(
  request: Partial<SentRequest>,
  { status = 200, headers, body }: Answered = { body: {} },
  options: Partial<RecorderOptions> = {},
): RecordedCall {
  let text = ''
  const recorder = new Recorder({
    trainingUrl: 'https://a.example/v1',
    write: (line) => (text += `${line}\n`),
    ...options,
  })
  const call = { host: 'training', method: 'POST', path: '/v1/x', headers: {} } as const
  const response = recorder.request({ ...call, ...request })
  response.response(status, { 'content-type': 'application/json', ...headers })
  response.chunk(typeof body === 'string' ? body : JSON.stringify(body))
  response.end()
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordingLine)
  const sent = lines.map((line) => (line.type === 'request' ? (line.body ?? '') : '')).join('')
  const received = lines.map((line) => (line.type === 'chunk' ? line.text : '')).join('')
  return { text, lines, sent, received }
}
