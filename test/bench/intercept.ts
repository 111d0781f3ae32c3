/**
 * Measures what `exec --intercept` costs: a chat through its proxy, beside the same handler behind `node:https`, and
 * the time until a command that does nothing has ended, beside `exec` without it.
 */
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { HOSTNAME, type InterceptAddresses } from './intercept-host.js'
import { load, rawRequest, type Load, type LoadOptions } from './load.js'
import { processorTimeOf } from './server-process.js'
import { roundOf, type Settings } from './settings.js'
import { median } from './statistics.js'
import { figureOf, type Figure, type Table } from './table.js'

const BARE = '`node:https`, the same handler'
const INTERCEPTED = 'through the proxy of `--intercept`'

export async function intercept(settings: Settings): Promise<Table[]> {
  return [await chats(settings), commands(settings)]
}

interface Measured {
  /** Milliseconds of a chat, for one client that stays connected. */
  alone: number
  /** Chats per second, over many connections. */
  rate: number
  /** Microseconds of processor time per chat, in the process of the server. */
  cost: number
  /** Milliseconds from nothing to the first answer: the tunnel, the handshake and the chat. */
  opened: number
}

async function chats(settings: Settings): Promise<Table> {
  const server = fork(join(import.meta.dirname, 'intercept-server.ts'), {
    execArgv: ['--import', 'tsx'],
  })
  process.once('exit', () => server.kill('SIGKILL'))
  const [addresses] = (await once(server, 'message')) as [InterceptAddresses]
  const ways = {
    [BARE]: () => secured(dialed(addresses.https.port), addresses.https.authority),
    [INTERCEPTED]: () => secured(tunnel(addresses.proxy.port), addresses.proxy.authority),
  }
  const measured: Record<string, Measured[]> = { [BARE]: [], [INTERCEPTED]: [] }
  // The first round is a warm-up.
  for (let round = 0; round <= settings.rounds; round++) {
    for (const [name, connect] of Object.entries(ways)) {
      const told = await measure(connect, { settings, pid: server.pid! })
      if (round > 0) measured[name]!.push(told)
    }
  }
  server.kill()
  const figures = (name: string): Figure[] => {
    const of = (key: keyof Measured): [number[], number[] | undefined] => {
      const beside = name === BARE ? undefined : measured[BARE]!.map((each) => each[key])
      return [measured[name]!.map((each) => each[key]), beside]
    }
    return [
      figureOf(of('alone')[0], 'ms', of('alone')[1]),
      figureOf(of('cost')[0], 'µs', of('cost')[1]),
      figureOf(of('rate')[0], '/s', of('rate')[1]),
      figureOf(of('opened')[0], 'ms', of('opened')[1]),
    ]
  }
  const { connections } = roundOf(settings)
  return {
    title: 'Through the proxy of `exec --intercept`',
    columns: ['a chat', 'processor time of a chat', 'chats', 'first chat of a connection'],
    rows: Object.keys(ways).map((name) => ({ name, figures: figures(name) })),
    notes: [
      `A chat: one client that stays connected. Chats: over ${connections} connections. The two take turns in one process.`,
    ],
  }
}

const CHAT = JSON.stringify({
  model: 'any-model',
  messages: [{ role: 'user', content: 'Which number is 42?' }],
})

async function measure(
  connect: () => Promise<Socket>,
  { settings, pid }: { settings: Settings; pid: number },
): Promise<Measured> {
  const url = new URL(`https://${HOSTNAME}/v1/chat/completions`)
  const request = rawRequest('POST', url, CHAT)
  const { connections, ms } = roundOf(settings)
  const chat = (options: LoadOptions): Promise<Load> => load(url, request, { ...options, connect })
  const alone = await chat({ connections: 1, ms })
  const server = { pid, url: '', stop: () => Promise.resolve() }
  const before = processorTimeOf(server)
  const many = await chat({ connections, ms })
  const cost = ((processorTimeOf(server) - before) * 1000) / many.answered
  const opened: number[] = []
  for (let each = 0; each < 20; each++) {
    const start = performance.now()
    await chat({ connections: 1, ms: 60_000, most: 1 })
    opened.push(performance.now() - start)
  }
  return { alone: median(alone.latencies), rate: many.rate, cost, opened: median(opened) }
}

async function dialed(port: number): Promise<Socket> {
  const socket = connectTcp(port, '127.0.0.1').setNoDelay()
  await once(socket, 'connect')
  return socket
}

async function tunnel(port: number): Promise<Socket> {
  const socket = await dialed(port)
  socket.write(`CONNECT ${HOSTNAME}:443 HTTP/1.1\r\nhost: ${HOSTNAME}:443\r\n\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  if (!String(answer).startsWith('HTTP/1.1 200')) throw new Error(String(answer))
  return socket
}

async function secured(opened: Promise<Socket>, ca: string): Promise<Socket> {
  const socket = connectTls({ socket: await opened, servername: HOSTNAME, ca })
  await once(socket, 'secureConnect')
  return socket
}

/** The time from the start of `exec` to its end, for a command that does nothing. */
function commands({ rounds, quick }: Settings): Table {
  const took: Record<'plain' | 'intercepted', number[]> = { plain: [], intercepted: [] }
  const runs = quick ? rounds : Math.max(20, rounds)
  for (let round = 0; round <= runs; round++) {
    for (const [name, options] of [
      ['plain', []],
      ['intercepted', ['--intercept']],
    ] as const) {
      const start = performance.now()
      const args = ['bin/svtrain-emulator.js', 'exec', ...options, '--', 'true']
      const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' })
      if (status !== 0) throw new Error(`${args.join(' ')} exited with ${status}`)
      if (round > 0) took[name].push(performance.now() - start)
    }
  }
  const later = took.intercepted.map((each, round) => each - took.plain[round]!)
  return {
    title: 'Start and end of `exec`',
    columns: ['`exec -- true`'],
    rows: [
      { name: 'without `--intercept`', figures: [figureOf(took.plain, 'ms')] },
      { name: 'with `--intercept`', figures: [figureOf(took.intercepted, 'ms', took.plain)] },
      { name: 'how much later', figures: [figureOf(later, 'ms')] },
    ],
    notes: [`From the start of the process to its end: ${runs} rounds, in turns; less is better.`],
  }
}
