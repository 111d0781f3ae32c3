import type { Emulator } from '../../src/index.js'
import { clientOf } from './api-client.js'
import { chat } from './trainer.js'

/** Asks a base model a plain question, with the fields of `body` added, and returns its answer. */
export async function textFrom(emulator: Emulator, body: object): Promise<string> {
  const { body: completion } = await chat(clientOf(emulator), 'Name a color.', { ...body })
  return completion.choices[0].message.content
}

/** The chunks of a streamed chat, without the mark of its end. */
export function chunksIn<Chunk = ReturnType<typeof JSON.parse>>(stream: string): Chunk[] {
  return stream
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Chunk)
}
