import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ask, type Call } from './calls.js'
import { emulatorOf, start } from './contestants.js'
import { SCENARIO, type CallName } from './emulator-calls.js'

export interface Answer {
  status: number
  headers: Record<string, string | number>
  /** A list of chunks for a stream. */
  body: string | string[]
}

/** Calls with the answers of the emulator, so that every server sends the same. */
export interface Recording {
  calls: Record<CallName, Call>
  told: Record<CallName, Answer>
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
  const { server, calls } = await start(emulatorOf(scenario))
  const recording = await record(server.url, calls, join(folder, 'answers.json'))
  const described = await fetch(new URL('/_emulator/openapi/training.json', server.url))
  const document = (await described.json()) as Answers['document']
  await server.stop()
  return { ...recording, folder, scenario, document }
}

/** Writes the scenario that all calls need to a file. */
export function writeScenario(folder: string): string {
  const path = join(folder, 'bench.json')
  writeFileSync(path, JSON.stringify(SCENARIO))
  return path
}

/** Makes each call, and writes the answers to a file. */
export async function record(
  url: string,
  calls: Recording['calls'],
  file: string,
): Promise<Recording> {
  const told = {} as Recording['told']
  for (const [name, call] of Object.entries(calls)) {
    told[name as CallName] = await answerOf(await ask(url, call))
  }
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
