import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Answers requests as a function of the test says. */
export type Service = (...call: Parameters<RequestListener>) => unknown

/** Serves on a free port until the test is over. Returns the address. */
export async function served(service: Service): Promise<string> {
  const server = createServer((request, response) => void service(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
