import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import getPort from 'get-port'
import { ask, type Call, type JobToDo } from './calls.js'
import { openEmulator, writeScenario } from './emulator-calls.js'
import { emulatorAt, startServerAt } from './server-process.js'

export interface Answer {
  status: number
  headers: Record<string, string | number>
  /** A list of chunks for a stream. */
  body: string | string[]
}

/** Calls with the answers of the emulator, so that every server sends the same. */
export interface Recording<Name extends string = JobToDo> {
  calls: Record<Name, Call>
  told: Record<Name, Answer>
  /** The file with the answers as JSON, for servers in other processes. */
  file: string
}

export interface Answers extends Recording {
  folder: string
  scenario: string
  /** The OpenAPI document of the emulator. */
  document: Record<string, unknown>
}

export async function recordAnswers(folder: string): Promise<Answers> {
  const scenario = writeScenario(folder)
  const port = await getPort()
  const start = { node: process.execPath, args: emulatorAt(port, scenario) }
  const server = await startServerAt(port, '/v1/health', start)
  const calls = await openEmulator(server.url)
  const recording = await record(server.url, calls, join(folder, 'answers.json'))
  const described = await fetch(new URL('/_emulator/openapi/training.json', server.url))
  const document = (await described.json()) as Answers['document']
  await server.stop()
  return { ...recording, folder, scenario, document }
}

/** Makes each call, and writes the answers to a file. */
export async function record<Name extends string>(
  url: string,
  calls: Record<Name, Call>,
  file: string,
): Promise<Recording<Name>> {
  const told = {} as Record<Name, Answer>
  for (const name in calls) told[name] = await answerOf(await ask(url, calls[name]))
  writeFileSync(file, JSON.stringify(told))
  return { calls, told, file }
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
