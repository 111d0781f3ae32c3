import { expect, it } from 'vitest'
import { served, type Service } from '../support/served.js'
import { load, rawRequest } from './load.js'

async function serve(service: Service): Promise<URL> {
  return new URL(await served(service))
}

it('the load generator counts answers with a known length and chunked answers', async () => {
  let asked = 0
  const url = await serve((request, response) => {
    asked++
    if (asked % 2 === 0) response.end('x'.repeat(100_000))
    else {
      response.write('one')
      setImmediate(() => response.end('two'))
    }
  })
  const options = { connections: 3, ms: 60_000, most: 20 }
  const { answered, latencies, firsts } = await load(url, rawRequest('GET', url), options)
  expect({ answered, asked }).toEqual({ answered: 20, asked: 20 })
  expect([latencies.length, firsts.length]).toEqual([20, 20])
})
