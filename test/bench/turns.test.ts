import { expect, it } from 'vitest'
import { served } from '../support/served.js'
import { inTurns, speedOf } from './turns.js'

it('another one begins each round, and the rounds of the warm-up do not count', async () => {
  const asked: string[] = []
  const told = await inTurns(['a', 'b', 'c'], { rounds: 2 }, (one) => asked.push(one))
  expect(asked.join('')).toBe('abcbcacab')
  expect(told).toEqual(
    new Map([
      ['a', [6, 8]],
      ['b', [4, 9]],
      ['c', [5, 7]],
    ]),
  )
})

it('a wrong status fails the bench with the name of the server, and each call has a new body', async () => {
  const bodies: string[] = []
  const url = await served((request, response) => {
    request.on('data', (body: Buffer) => bodies.push(body.toString()))
    request.on('end', () => response.writeHead(bodies.length < 3 ? 422 : 500).end())
  })
  const runner = { name: 'ours', server: { url, pid: process.pid, stop: () => Promise.resolve() } }
  let number = 0
  const call = { method: 'POST', path: '/refused', status: 422, holds: '' } as const
  const fresh = (): string => String(++number)
  const speed = speedOf(runner, { ...call, fresh }, { connections: 1, ms: 60_000, most: 4 })
  await expect(speed).rejects.toThrow('ours did not answer each POST /refused')
  expect(bodies).toEqual(['1', '2', '3'])
})
