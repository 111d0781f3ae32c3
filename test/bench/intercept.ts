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
import { load, rawRequest, timeOf, type Load, type LoadOptions } from './load.js'
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
  const alone = await inTurns(ways, settings)
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
      figureOf(alone[name]!, 'ms', name === BARE ? undefined : alone[BARE]),
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
      `A chat: two clients that stay connected take turns, chat by chat. Chats: over ${connections} connections. One process has both servers.`,
    ],
  }
}

const CHAT = JSON.stringify({
  model: 'any-model',
  messages: [{ role: 'user', content: 'Which number is 42?' }],
})

const URL_OF_CHATS = new URL(`https://${HOSTNAME}/v1/chat/completions`)
const REQUEST = rawRequest('POST', URL_OF_CHATS, CHAT)

/** Milliseconds of each chat, when a connection of each kind sends one after the other. */
async function inTurns(
  ways: Readonly<Record<string, () => Promise<Socket>>>,
  { quick }: Settings,
): Promise<Record<string, number[]>> {
  const took: Record<string, number[]> = {}
  const sockets: [string, Socket][] = []
  for (const [name, connect] of Object.entries(ways)) {
    took[name] = []
    sockets.push([name, await connect()])
  }
  const count = quick ? 200 : 2000
  for (let chat = -WARM_UP; chat < count; chat++) {
    for (const [name, socket] of sockets) {
      const time = await timeOf(socket, REQUEST)
      if (chat >= 0) took[name]!.push(time)
    }
  }
  for (const [, socket] of sockets) socket.destroy()
  return took
}

const WARM_UP = 100

async function measure(
  connect: () => Promise<Socket>,
  { settings, pid }: { settings: Settings; pid: number },
): Promise<Measured> {
  const { connections, ms } = roundOf(settings)
  const chat = (options: LoadOptions): Promise<Load> => {
    return load(URL_OF_CHATS, REQUEST, { ...options, connect })
  }
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
  return { rate: many.rate, cost, opened: median(opened) }
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

/** What `exec` takes from its start to its end, in milliseconds, for a command that does nothing. */
interface Ran {
  took: number
  /** Processor time of `exec` and of the command. */
  used: number
}

/** The shell says what its children used, when they have ended. */
const TIMED = '"$0" "$@" > /dev/null 2>&1 || exit 1; times'

function run(options: readonly string[]): Ran {
  const args = ['bin/svtrain-emulator.js', 'exec', ...options, '--', 'true']
  const start = performance.now()
  const { status, stdout } = spawnSync('sh', ['-c', TIMED, process.execPath, ...args])
  const took = performance.now() - start
  if (status !== 0) throw new Error(`${args.join(' ')} failed`)
  const ofChildren = String(stdout).trim().split('\n').at(-1)!
  const seconds = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  )
  return { took, used: seconds.reduce((sum, each) => sum + each, 0) * 1000 }
}

function commands({ rounds, quick }: Settings): Table {
  const plain: Ran[] = []
  const intercepted: Ran[] = []
  const runs = quick ? rounds : Math.max(20, rounds)
  // The first round is a warm-up.
  for (let round = 0; round <= runs; round++) {
    const pair = [run([]), run(['--intercept'])] as const
    if (round === 0) continue
    plain.push(pair[0])
    intercepted.push(pair[1])
  }
  const figures = (key: keyof Ran): [Figure, Figure, Figure] => {
    const without = plain.map((each) => each[key])
    const beside = intercepted.map((each) => each[key])
    const later = beside.map((each, round) => each - without[round]!)
    return [figureOf(without, 'ms'), figureOf(beside, 'ms', without), figureOf(later, 'ms')]
  }
  const [took, used] = [figures('took'), figures('used')]
  const names = ['without `--intercept`', 'with `--intercept`', 'the difference']
  return {
    title: 'Start and end of `exec`',
    columns: ['`exec -- true`', 'processor time'],
    rows: names.map((name, row) => ({ name, figures: [took[row], used[row]] })),
    notes: [`From the start of the process to its end: ${runs} rounds, in turns; less is better.`],
  }
}
