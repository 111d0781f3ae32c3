/**
 * Measures the cost of a request in process: the GET of a job through the emulator and through MSW,
 * compared with others that return the same bytes: a bare function, and static handlers of MSW.
 */
import { handlersFrom } from '../../src/emulator/adapters/msw-handlers.js'
import { createEmulator } from '../../src/index.js'
import { handlers } from '../../src/msw.js'
import { clientOf, jsonHeaders } from '../support/api-client.js'
import { runsMsw3 } from '../support/msw.js'
import { submit } from '../support/trainer.js'
import { WrongAnswerError } from './calls.js'
import type { Settings } from './settings.js'
import { tableOf, type Table } from './table.js'
import { costsOf, type Operation } from './turns.js'

interface Named extends Operation {
  name: string
}

interface Server {
  listen: () => void
  close: () => void
}

export async function inProcess({ rounds }: Settings): Promise<Table[]> {
  const emulator = createEmulator({ clock: 'manual', scenario: 'stuck-job' })
  const path = `/preview/training-jobs/${await submit(emulator)}`
  const url = emulator.trainingUrl + path
  const bytes = JSON.stringify((await clientOf(emulator).get(path)).body)
  const json = { headers: { 'content-type': 'application/json' } }
  const read = async (response: Response | Promise<Response>): Promise<void> => {
    const text = await (await response).text()
    if (text !== bytes) throw new WrongAnswerError(`Answered with ${text}`)
  }
  const headers = jsonHeaders()
  const through = (name: string, server: Server): Named => ({
    name,
    prepare: () => server.listen(),
    leave: () => server.close(),
    run: () => read(fetch(url, { headers })),
  })
  const bare = {
    name: 'a function that answers with a `Response`',
    run: () => read(new Response(bytes, json)),
  }
  const operations: Named[] = [
    bare,
    { name: '`emulator.fetch`', run: () => read(emulator.fetch(url, { headers })) },
  ]
  const still = new Map<Named, Named>()
  const add = (name: string, servers: { still: Server; ours: Server }): void => {
    const plain = through(`a static handler of ${name}`, servers.still)
    const ours = through(`the emulator through ${name}`, servers.ours)
    operations.push(plain, ours)
    still.set(ours, plain)
  }
  const two = await import('msw')
  const { setupServer } = await import('msw/node')
  add('MSW 2', {
    still: setupServer(two.http.get(url, () => new two.HttpResponse(bytes, json))),
    ours: setupServer(...handlers(emulator)),
  })
  if (runsMsw3) {
    const three = await import('msw-3')
    const { setupServer: serverOfThree } = await import('msw-3/node')
    const handler = three.http.get(url, () => new three.HttpResponse(bytes, json))
    add('MSW 3', {
      still: serverOfThree(handler),
      ours: serverOfThree(...handlersFrom<typeof handler>(three)(emulator)),
    })
  }
  const costs = await costsOf(operations, { rounds: rounds * 3, times: 100 })
  const title = `In process, Node ${process.versions.node}: GET of a job`
  const cost = { unit: 'µs', valuesOf: (one: Named) => costs.get(one) }
  return [
    tableOf(title, operations, [{ name: 'beside a function', ...cost }], {
      notes: ['Microseconds of processor time; less is better.'],
    }),
    tableOf(
      `${title} through MSW`,
      [...still.keys()],
      [{ name: 'beside a static handler', ...cost }],
      {
        besideOf: (one) => still.get(one),
        notes: [`It should cost at most ${MOST_BESIDE_STATIC} of a static handler.`],
      },
    ),
  ]
}

/** Matching, routing and the journal cost little, compared with the work of MSW for a request. */
const MOST_BESIDE_STATIC = 1.15
