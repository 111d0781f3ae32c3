import { expect, it } from 'vitest'
import { served } from '../support/served.js'
import { load, rawRequest } from './load.js'

it('the load generator counts answers with a known length and chunked answers', async () => {
  let asked = 0
  const address = await served((request, response) => {
    asked++
    if (asked % 2 === 0) response.end('x'.repeat(100_000))
    else {
      response.write('one')
      setImmediate(() => response.end('two'))
    }
  })
  const url = new URL(address)
  const options = { connections: 3, ms: 60_000, most: 20, status: 200 }
  const { answered } = await load(url, rawRequest('GET', url), options)
  expect({ answered, asked }).toEqual({ answered: 20, asked: 20 })
})
