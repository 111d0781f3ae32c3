import { setupServer } from 'msw/node'
import { onTestFinished } from 'vitest'
import { fetch as fetchOfUndici } from 'undici'
import { createEmulator, type Emulator } from '../../../src/index.js'
import { handlers } from '../../../src/msw.js'
import { Command } from '../../cli/command.js'
import { errorOf, type Reproductions } from './reproduction.js'

const trainingUrl = 'https://api.example.com/v1'

/** Mocks an emulator by MSW until the end of the test. */
function mocked(emulator: Emulator): void {
  const server = setupServer(...handlers(emulator, { trainingUrl }))
  server.listen({ onUnhandledRequest: 'error' })
  onTestFinished(() => {
    server.close()
  })
}

/** A program that uses the client as it is configured by the environment. */
const usesOpenai = `
  import OpenAI from 'openai'
  const models = await new OpenAI().models.list()
  console.log(models.data.length > 0 ? 'It has models.' : '')
`

async function exec(...options: string[]): Promise<string> {
  const program = [process.execPath, '--input-type=module', '--eval', usesOpenai]
  const ran = new Command(['exec', ...options, '--', ...program])
  await ran.ended()
  return ran.output
}

export const clients: Reproductions = {
  'Missing credentials': async () => ({
    said: await exec(),
    isFixed: (
      await exec('--env', 'OPENAI_API_KEY={key}', '--env', 'OPENAI_BASE_URL={inference}')
    ).includes('It has models.'),
  }),

  'Cannot bypass a request when using the "error" strategy': async () => {
    mocked(createEmulator())
    const said = await errorOf(() => fetch('https://api.example.org/v1/preview/base-models'))
    return { said, isFixed: (await fetch(`${trainingUrl}/preview/base-models`)).ok }
  },

  'getaddrinfo ENOTFOUND api.example.com': async () => {
    mocked(createEmulator())
    const said = await errorOf(() => fetchOfUndici(`${trainingUrl}/preview/base-models`))
    return { said, isFixed: (await fetch(`${trainingUrl}/preview/base-models`)).ok }
  },
}

/** Rows that need a client in Python, which `npm run conformance` installs. */
export const inInterop = ['WANDB_API_KEY invalid: API key must have 40+ characters']
