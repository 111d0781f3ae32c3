import { Interceptor, type InterceptorOptions } from './interceptor.js'
import { Outside } from './outside.js'
import { documentedRoutes, readRoute } from './routes.js'
import { createTrustFolder } from './trust-folder.js'
import { interceptVariables } from './variables.js'

export interface InterceptSettings {
  /** Addresses of APIs, such as `training=https://api.example.test/v1`. Empty: those of the documented service. */
  readonly addresses: readonly string[]
  /** Other hosts that may be called. */
  readonly allowed: readonly string[]
  /** The variables that the command inherits. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly allowWith: InterceptorOptions['allowWith']
}

/** An interceptor that listens, and what a command needs to use it. */
export interface ReadyInterceptor {
  readonly interceptor: Interceptor
  /** The variables of the command. */
  readonly variables: Readonly<Record<string, string>>
  /** Closes it, and removes its files. */
  end(): Promise<void>
}

/** Starts an interceptor, and writes the files that a command needs to trust it. */
export async function createInterceptor(
  emulator: InterceptorOptions['emulator'],
  { addresses, allowed, environment, allowWith }: InterceptSettings,
): Promise<ReadyInterceptor> {
  const routes = addresses.length === 0 ? documentedRoutes() : addresses.map(readRoute)
  const outside = new Outside({ allowed, environment })
  const interceptor = new Interceptor({ emulator, routes, outside, allowWith })
  await interceptor.listen()
  const folder = createTrustFolder(interceptor.authority, environment)
  return {
    interceptor,
    variables: interceptVariables(interceptor.url, folder, environment),
    async end() {
      folder.remove()
      await interceptor.close()
    },
  }
}
