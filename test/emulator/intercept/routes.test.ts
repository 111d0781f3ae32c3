import { describe, expect, it } from 'vitest'
import { addressOf, noRouteText, routeOf, Routes } from '../../../src/emulator/adapters/routes.js'
import { readRoute, routesOf } from '../../../src/emulator/intercept/read-route.js'

describe('an intercepted address', () => {
  it('is an API, a host and a path', () => {
    expect(readRoute('training=https://api.example.test/v1')).toEqual({
      api: 'training',
      host: 'training',
      scheme: 'https',
      hostname: 'api.example.test',
      port: 443,
      mount: '',
    })
    expect(readRoute('platform=api.example.test:8443/tracking/')).toMatchObject({
      host: 'training',
      port: 8443,
      mount: '/tracking',
    })
    const local = readRoute('inference=http://localhost:11434/v1')
    expect(local).toMatchObject({ scheme: 'http', hostname: 'localhost', port: 11_434 })
    expect(readRoute('training=http://a.test/v1')).toMatchObject({ scheme: 'http', port: 80 })
  })

  it.each([
    'https://a.test/v1',
    'https://a.test:8443/llm/v1',
    'http://a.test/v1',
    'http://localhost:11434/v1',
    'http://127.0.0.1:8000/v1',
    'http://[::1]:8000/v1',
    'http://10.0.0.5:8000/v1',
  ])('%s is shown as a client has it', (address) => {
    expect(addressOf(readRoute(`inference=${address}`))).toBe(address)
  })

  it.each([
    ['trainig=https://a.test/v1', 'Did you mean "training"?'],
    ['documentd', 'Did you mean "documented"?'],
    ['https://a.test/v1', 'The APIs are training, inference, platform;'],
    ['training=https://a.test', 'has to end with /v1, where the API begins.'],
    ['training=ftp://a.test/v1', 'are intercepted. Did you mean "https://a.test/v1"?'],
    ['training=ftp://10.0.0.5/v1', 'are intercepted. Did you mean "http://10.0.0.5/v1"?'],
    ['inference=localhost:11434', 'no scheme. Did you mean "http://localhost:11434/v1"?'],
    ['inference=127.0.0.1:8000/v1', 'no scheme. Did you mean "http://127.0.0.1:8000/v1"?'],
    ['inference=http://localhost:11434/', 'Did you mean "http://localhost:11434/v1"?'],
    [
      'inference=http://localhost:1/x/v1/chat/completions',
      'Did you mean "http://localhost:1/x/v1"?',
    ],
    ['inference=http://localhost:1/v2', 'Did you mean "http://localhost:1/v1"?'],
    ['inference=http://localhost:0/v1', 'has port 0. A port is a number from 1 to 65535.'],
    ['inference=http://localhost:65536/v1', 'is not a URL.'],
    [
      'inference=http://:secret@a.test/v1',
      'than a host and a path. Did you mean "http://a.test/v1"?',
    ],
    ['inference=https://127.0.0.1:8000/v1', 'Did you mean "http://127.0.0.1:8000/v1"?'],
    ['training=https://a.test/v1?x=1', 'has more than a host and a path.'],
    ['training=https://user@a.test/v1', 'has more than a host and a path.'],
    ['platform=https://10.0.0.1', 'for names only, so an IP address needs http://.'],
    ['platform=https://[::1]', 'Did you mean "http://[::1]"?'],
    ['platform=https://a b', 'is not a URL.'],
  ])('%s is refused: %s', (text, why) => {
    expect(() => readRoute(text)).toThrow(why)
  })

  it.each(['https://user:secret@a.test/v1', 'user:secret@a b', 'http://user:se/secret@a.test/v1'])(
    '%s is refused without a word of its login',
    (address) => {
      expect(() => readRoute(`inference=${address}`)).toThrow(/^((?!secret|user|se\/).)*$/s)
    },
  )

  it('can stand beside those of the documented service', () => {
    const judge = 'inference=https://judge.test/v1'
    expect(routesOf(['documented', judge])).toEqual([...routesOf([]), readRoute(judge)])
  })

  it('with the longest path answers, and of equal ones the first', () => {
    const routes = new Routes(
      [
        'platform=https://a.test',
        'training=https://a.test/llm/v1',
        'inference=https://a.test/llm/v1',
      ].map(readRoute),
    )
    const found = routes.of('A.test', 443)!
    expect(routeOf(found, '/llm/v1/models')?.api).toBe('training')
    expect(routeOf(found, '/llmx/v1/models')?.api).toBe('platform')
    expect(routes.of('a.test', 80)).toHaveLength(3)
  })

  it('has all ports of its host, in all spellings, but only the named one of loopback', () => {
    const routes = new Routes(
      [
        'training=https://a.test/v1',
        'platform=https://A.test:8443',
        'inference=https://localhost:4000/v1',
      ].map(readRoute),
    )
    const apis = (name: string, port: number) => routes.of(name, port)?.map(({ api }) => api)
    expect(apis('A.test.', 443)).toEqual(['training'])
    expect(apis('a.test', 8443)).toEqual(['platform'])
    expect(apis('a.test', 80)).toEqual(['training', 'platform'])
    expect(apis('a.test', 9999)).toEqual(['training', 'platform'])
    expect(apis('localhost', 4000)).toEqual(['inference'])
    expect(apis('localhost', 4001)).toBeUndefined()
    expect(apis('b.test', 443)).toBeUndefined()
  })

  it.each([
    ['localhost', 11_434, true],
    ['LOCALHOST.', 11_434, true],
    ['127.0.0.1', 11_434, true],
    ['127.1', 11_434, true],
    ['[::1]', 11_434, true],
    ['::ffff:127.0.0.1', 11_434, true],
    ['0.0.0.0', 11_434, true],
    ['127.0.0.1', 11_435, false],
    ['localhost', 80, false],
    ['app.localhost', 11_434, false],
    ['localhost.test', 11_434, false],
  ])('of loopback has one port of this machine: is %s:%i caught? %s', (name, port, isCaught) => {
    for (const host of ['localhost', '127.0.0.1', '[::1]', '0.0.0.0']) {
      const routes = new Routes([readRoute(`inference=http://${host}:11434/v1`)])
      expect(routes.of(name, port) !== undefined).toBe(isCaught)
    }
  })

  it.each([
    ['/api/training/v1/preview/models', 'training'],
    ['/api/training/nothing', 'training'],
    ['/api/wandb/graphql', 'platform'],
    ['/api/wandb/files/a/b', 'platform'],
    ['/api/wandb', 'platform'],
    ['/api/wandb/v1/preview/models', undefined],
    ['/api/training/graphql', undefined],
    ['/api/trainings/v1/preview/models', undefined],
    ['/v1/preview/models', undefined],
    ['/graphql', undefined],
    ['/wandb/home', undefined],
    ['/', undefined],
  ])('%s of a documented host with two APIs belongs to %s', (path, api) => {
    const routes = new Routes(routesOf([])).of('forge.coreweave.com', 443)!
    expect(routeOf(routes, path)?.api).toBe(api)
    expect(noRouteText(routes, path)).toBe(
      `${path} of forge.coreweave.com belongs to no API that svtrain-emulator answers. It answers the training API at /api/training/v1 and the platform API at /api/wandb`,
    )
  })
})
