import type { Emulator } from '../../src/index.js'

const messages = [{ role: 'user', content: 'Name a colour.' }]

/** What a base model says to a request that, but for `body`, asks for nothing special. */
export async function textFrom(emulator: Emulator, body: object): Promise<string> {
  const response = await emulator.fetch(`${emulator.trainingUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer k', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'example/base-8b-instruct', messages, ...body }),
  })
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] }
  return choices[0]!.message.content
}
