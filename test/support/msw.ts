import {
  handlersFrom,
  type HandlersOptions,
  type Mocked,
} from '../../src/emulator/adapters/msw-handlers.js'
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

export async function msw2(): Promise<MswMajor> {
  const { http } = await import('msw')
  const { defaultNetworkOptions, setupServer } = await import('msw/node')
  const { defineNetwork } = await import('msw/experimental')
  return {
    handlers,
    defineNetwork: (...all) =>
      defineNetwork({ ...defaultNetworkOptions, handlers: all as ReturnType<typeof handlers> }),
    mock: (url, resolver) => http.all(url, resolver),
    setupServer(...all) {
      const server = setupServer(...(all as ReturnType<typeof handlers>))
      return {
        listen: ({ strict } = { strict: false }) =>
          server.listen({ onUnhandledRequest: strict ? 'error' : 'bypass' }),
        use: (...more) => server.use(...(more as ReturnType<typeof handlers>)),
        close: () => server.close(),
      }
    },
  }
}

export async function msw3(): Promise<MswMajor> {
  const msw = await import('msw-3')
  const { http } = msw
  const { defaultNetworkOptions, setupServer } = await import('msw-3/node')
  const { defineNetwork } = await import('msw-3/experimental')
  type Handler = ReturnType<typeof http.all>
  return {
    defineNetwork: (...all) =>
      defineNetwork({ ...defaultNetworkOptions, handlers: all as Handler[] }),
    handlers: handlersFrom<Handler>(msw),
    mock: (url, resolver) => http.all(url, resolver),
    setupServer(...all) {
      const server = setupServer(...(all as Handler[]))
      return {
        listen: ({ strict } = { strict: false }) =>
          server.listen({ onUnhandledFrame: strict ? 'error' : 'bypass' }),
        use: (...more) => server.use(...(more as Handler[])),
        close: () => server.close(),
      }
    },
  }
}

/** Both majors, for tests that run on each of them. */
export const majors = [
  { name: 'MSW 2', load: msw2, runs: true },
  { name: runsMsw3 ? 'MSW 3' : 'MSW 3, needs Node 22', load: msw3, runs: runsMsw3 },
]
