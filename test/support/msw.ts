import type { HandlersOptions } from '../../src/emulator/adapters/handlers-options.js'
import { handlersFrom, type Mocked } from '../../src/emulator/adapters/msw-handlers.js'
import { handlers } from '../../src/msw.js'

/** The API that tests use, which is the same for both majors of MSW. */
export interface MswMajor {
  handlers: (emulator: Mocked, options?: HandlersOptions) => object[]
  setupServer: (...handlers: object[]) => Server
  /** The same with the newer API, which is built from sources. */
  defineNetwork: (...handlers: object[]) => { enable: () => unknown; disable: () => unknown }
  /** A custom mock of the user. */
  mock: (url: string, resolver: (info: { request: Request }) => Response) => object
}

export interface Server {
  /** If `strict`, refuses requests that no handler answers. */
  listen: (options?: { strict: boolean }) => void
  use: (...handlers: object[]) => void
  close: () => void
}

/** MSW 3 warns on Node 20, and then fails every request. */
export const runsMsw3 = Number(process.versions.node.split('.')[0]) >= 22

/** What a major exports for Node. A handler is that of the same major. */
interface NodeExports {
  setupServer: (...handlers: never[]) => {
    listen: (options: object) => void
    use: (...handlers: never[]) => void
    close: () => void
  }
  defaultNetworkOptions: object
  defineNetwork: (options: never) => ReturnType<MswMajor['defineNetwork']>
}

/** @param unhandled How it calls the option for requests that no handler answers. */
function serversOf(
  { setupServer, defineNetwork, defaultNetworkOptions }: NodeExports,
  unhandled: string,
): Pick<MswMajor, 'setupServer' | 'defineNetwork'> {
  return {
    defineNetwork: (...all) => defineNetwork({ ...defaultNetworkOptions, handlers: all } as never),
    setupServer(...all) {
      const server = setupServer(...(all as never[]))
      return {
        listen: ({ strict } = { strict: false }) =>
          server.listen({ [unhandled]: strict ? 'error' : 'bypass' }),
        use: (...more) => server.use(...(more as never[])),
        close: () => server.close(),
      }
    },
  }
}

export async function msw2(): Promise<MswMajor> {
  const { http } = await import('msw')
  const exported = { ...(await import('msw/node')), ...(await import('msw/experimental')) }
  return { ...serversOf(exported, 'onUnhandledRequest'), handlers, mock: http.all }
}

export async function msw3(): Promise<MswMajor> {
  const msw = await import('msw-3')
  const exported = { ...(await import('msw-3/node')), ...(await import('msw-3/experimental')) }
  const { all: mock } = msw.http
  return { ...serversOf(exported, 'onUnhandledFrame'), handlers: handlersFrom(msw), mock }
}

/** Both majors, for tests that run on each of them. */
export const majors = [
  { name: 'MSW 2', load: msw2, runs: true },
  { name: runsMsw3 ? 'MSW 3' : 'MSW 3, needs Node 22', load: msw3, runs: runsMsw3 },
]
