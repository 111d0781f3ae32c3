import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import getPort from 'get-port'
import { ask, JOBS_TO_DO, type JobToDo } from './calls.js'
import { openEmulator, writeScenario } from './emulator-calls.js'
import { emulatorAt, startServerAt } from './server-process.js'

export interface Answer {
  status: number
  headers: Record<string, string | number>
  /** A list of chunks for a stream. */
  body: string | string[]
}

/** The answers of the emulator, so that every server sends the same. */
export interface Answers {
  folder: string
  scenario: string
  /** The file with the answers as JSON, for servers in other processes. */
  file: string
  told: Record<JobToDo, Answer>
  /** All events of the long job. */
  events: { id: string }[]
  /** The OpenAPI document of the emulator. */
  document: Record<string, unknown>
}

export async function recordAnswers(folder: string): Promise<Answers> {
  const scenario = writeScenario(folder)
  const port = await getPort()
  const start = { node: process.execPath, args: emulatorAt(port, scenario) }
  const server = await startServerAt(port, '/v1/health', start)
  const calls = await openEmulator(server.url)
  const told = {} as Record<JobToDo, Answer>
  for (const job of JOBS_TO_DO) told[job] = await answerOf(await ask(server.url, calls[job]))
  const described = await fetch(new URL('/_emulator/openapi/training.json', server.url))
  const document = (await described.json()) as Answers['document']
  await server.stop()
  const file = join(folder, 'answers.json')
  writeFileSync(file, JSON.stringify(told))
  return { folder, scenario, file, told, events: eventsLike(told.firstPage), document }
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const type = response.headers.get('content-type')!
  if (type.startsWith('text/event-stream')) {
    const body = text.split(/(?<=\n\n)/)
    return { status: response.status, headers: { 'content-type': type }, body }
  }
  const headers = { 'content-type': type, 'content-length': Buffer.byteLength(text) }
  return { status: response.status, headers, body: text }
}

const EVENTS = 10_000

/** As many events as the long job has. They repeat the first ones, with unique ids. */
function eventsLike({ body }: Answer): Answers['events'] {
  const { data } = JSON.parse(body as string) as { data: Answers['events'] }
  return Array.from({ length: EVENTS }, (_, index) => ({
    ...data[index % data.length]!,
    id: String(index + 1).padStart(36, '0'),
  }))
}
