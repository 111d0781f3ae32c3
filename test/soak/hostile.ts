import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectSecurely } from 'node:tls'
import { ProxyAgent } from 'undici'
import { Draw } from '../support/draw.js'
import { CalledProcess } from './called-process.js'
import { drawVisit, INTERCEPTED, SMUGGLED, type Visit } from './hostile-visits.js'
import { Ledger, type TrialOptions } from './ledger.js'

export interface HostileOptions extends TrialOptions {
  /** The number of connections. */
  count: number
}

/** After so many connections, good calls must be answered. */
const BATCH = 100
/** How many connections are made at a time. */
const TOGETHER = 20
/** Who waits for an answer leaves after so many milliseconds. The others leave within `SHORT_STAY`. */
const LONG_STAY = 400
const SHORT_STAY = 30
/** So long may a tunnel take. A busy machine is not a failure. */
const LONGEST_WAIT = 30_000
/** How many connections stay open without an end of their request. */
const MOST_OPEN = 200
/** Milliseconds from SIGTERM to the end, with open connections. */
const LONGEST_END = 1000
/** How many more sockets than at the start may be open at the end: those of good calls. */
const SPARE_SOCKETS = 5
/** The memory may grow by so much in MB, for what is bounded: the journal and the hosts that were called. */
const MOST_GROWTH = 100

/** Hostile connections to the intercepting proxy of the command. It may not reach any host. */
export class Hostile {
  readonly ledger = new Ledger()
  readonly #options: HostileOptions
  readonly #folder = mkdtempSync(join(tmpdir(), 'svtrain-hostile-'))
  readonly #process: CalledProcess
  readonly #draw: Draw
  /** The connections that stay open, oldest first. */
  readonly #open: Socket[] = []
  #certificate = ''

  constructor(options: HostileOptions) {
    this.#options = options
    this.#draw = new Draw(options.seed, 'hostile')
    this.#process = new CalledProcess('proxy', this.#folder, ['--intercept', '--intercept-port=0'])
  }

  async run(): Promise<void> {
    const { count, progress = () => {} } = this.#options
    try {
      await this.#process.ready()
      const { certificates } = this.#process.proxy
      this.#certificate = readFileSync(join(certificates, 'authority.pem'), 'utf8')
      await this.#callWell()
      const start = { sockets: this.#process.sockets, memory: this.#process.memory }
      for (let from = 0; from < count && !this.#process.hasEnded; from += BATCH) {
        this.ledger.round++
        await this.#visitAll(Math.min(BATCH, count - from))
        await this.#callWell()
        const { calls, memory } = this.#process
        const line = `proxy: ${calls} calls, ${memory ?? '?'} MB`
        progress(`${from + BATCH} connections, ${this.#open.length} open; ${line}`)
      }
      await this.#judgeRest(start)
      await this.#judgeEnd()
    } finally {
      this.#leaveAllBut(0)
      await this.#process.stop()
      rmSync(this.#folder, { recursive: true, force: true })
    }
  }

  async #visitAll(count: number): Promise<void> {
    const visits = Array.from({ length: count }, () => drawVisit(this.#draw))
    const work = async (): Promise<void> => {
      for (let visit = visits.pop(); visit; visit = visits.pop()) await this.#visit(visit)
    }
    await Promise.all(Array.from({ length: TOGETHER }, work))
    this.#leaveAllBut(MOST_OPEN)
  }

  async #visit({ kind, tunnel, bytes, waits, leaves }: Visit): Promise<void> {
    const raw = this.#connect()
    const socket = tunnel ? await this.#enter(raw, tunnel) : raw
    this.ledger.count(`connections: ${kind}`)
    const stay = waits ? LONG_STAY : this.#draw.below(SHORT_STAY)
    const heard = await heardFrom(socket, bytes, stay, /^HTTP.*\r\n\r\n/s)
    this.ledger.count(`first answers: ${/^HTTP\/1\.1 (\d+)/.exec(heard)?.[1] ?? 'none'}`)
    if (/^HTTP\/1\.1 50[0-4]/m.test(heard)) {
      const sent = JSON.stringify(bytes.toString('latin1').slice(0, 300))
      this.ledger.find('answers', `${sent} is answered with ${heard.slice(0, 300)}`, kind)
    }
    if (leaves === 'never') this.#open.push(raw)
    else if (leaves === 'with a reset') raw.resetAndDestroy()
    else if (leaves === 'at once') raw.destroy()
    else socket.end(() => raw.destroy())
  }

  #connect(): Socket {
    const { hostname, port } = new URL(this.#process.proxy.url)
    return connect(Number(port), hostname).on('error', () => {})
  }

  /** Opens a tunnel, also one in which no TLS follows. */
  async #enter(
    raw: Socket,
    { authority, isSecure }: NonNullable<Visit['tunnel']>,
  ): Promise<Socket> {
    const asked = `CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n`
    const began = performance.now()
    const answer = await heardFrom(raw, Buffer.from(asked), LONGEST_WAIT, /\r\n\r\n/)
    if (!answer.startsWith('HTTP/1.1 200')) {
      const after = `after ${Math.round(performance.now() - began)} ms`
      const text = `A tunnel to ${authority} is answered with "${answer}" ${after}`
      this.ledger.find('answers', text, 'a tunnel')
    }
    if (!isSecure) return raw
    const [servername] = authority.split(':')
    const socket = connectSecurely({ socket: raw, servername: servername!, ca: this.#certificate })
    return new Promise((resolve) => {
      socket.on('error', () => {}).once('secureConnect', () => resolve(socket))
      socket.once('close', () => resolve(socket))
    })
  }

  #leaveAllBut(most: number): void {
    for (const socket of this.#open.splice(0, Math.max(0, this.#open.length - most))) {
      socket.destroy()
    }
  }

  /** What a program calls beside the hostile ones is answered, and nothing of theirs was taken for a call. */
  async #callWell(): Promise<void> {
    const { urls, proxy } = this.#process
    const control = urls.training.replace(/\/v1$/, '/_emulator')
    const agent = new ProxyAgent({
      uri: proxy.url,
      requestTls: { ca: this.#certificate },
      proxyTunnel: true,
    })
    const answers = await Promise.all([
      this.#process.get(`https://${INTERCEPTED}/v1/health`, { through: agent }),
      this.#process.get(`${urls.training}/health`),
    ])
    await agent.destroy()
    for (const [index, what] of ['through the proxy', 'direct'].entries()) {
      const { status, text } = answers[index] ?? { status: 0, text: 'nothing' }
      if (status !== 200) {
        this.ledger.find('answers', `A good call ${what} has ${status}: ${text}`, what)
      }
    }
    const requests = `${control}/requests/count?path=*${SMUGGLED}*`
    const smuggled = await this.#process.get(requests)
    if (smuggled?.text !== '{"count":0}') {
      const text = `A body was taken for a request: ${smuggled?.text}`
      this.ledger.find('answers', text, 'the journal')
    }
    const hosts = await this.#process.get(`${control}/called-hosts`)
    const failed = /"host":"the proxy itself".*?\}/.exec(hosts?.text ?? '')
    if (failed) this.ledger.find('process', `The proxy met an error: ${failed[0]}`, 'its hosts')
  }

  /** Once all connections have left, nothing of them is. */
  async #judgeRest(start: Record<'sockets' | 'memory', number | undefined>): Promise<void> {
    this.#leaveAllBut(0)
    const most = (start.sockets ?? 0) + SPARE_SOCKETS
    const until = performance.now() + 5000
    while ((this.#process.sockets ?? 0) > most && performance.now() < until) await pause(50)
    const { sockets, memory, calls, unanswered, exits } = this.#process
    this.ledger.count('calls', calls)
    this.ledger.count('calls without an answer', unanswered)
    this.ledger.count('exits', exits)
    this.ledger.count('sockets at the start', start.sockets)
    this.ledger.count('sockets at the end', sockets)
    this.ledger.count('MB at the start', start.memory)
    this.ledger.count('MB at the end', memory)
    if (sockets !== undefined && sockets > most) {
      this.ledger.find('rest', `${sockets} sockets are open, not ${start.sockets}`, 'the end')
    }
    if (memory !== undefined && memory > start.memory! + MOST_GROWTH) {
      this.ledger.find('memory', `It grew from ${start.memory} MB to ${memory} MB`, 'the end')
    }
  }

  /** It ends with connections that are open, and without a word. */
  async #judgeEnd(): Promise<void> {
    await this.#visitAll(BATCH)
    const { code, took } = await this.#process.terminate()
    const { output, exits } = this.#process
    this.ledger.count('milliseconds from SIGTERM to the end', took)
    if (code !== 0 || took > LONGEST_END) {
      this.ledger.find('process', `It ended with ${code} after ${took} ms`, 'SIGTERM')
    }
    if (exits > 0) this.ledger.find('process', 'It ended by itself', 'the proxy')
    if (output !== '') this.ledger.find('process', `It printed: ${output}`, 'the proxy')
  }
}

/** Sends bytes. Returns what comes back until the connection ends, the pattern matches, or the time is over. */
function heardFrom(socket: Socket, bytes: Buffer, ms: number, until = /^$/): Promise<string> {
  return new Promise((resolve) => {
    let heard = ''
    const timer = setTimeout(() => finish(), ms)
    const finish = (): void => {
      clearTimeout(timer)
      socket.off('data', hear).off('close', finish)
      resolve(heard)
    }
    const hear = (chunk: Buffer): void => {
      heard += chunk.toString('latin1')
      if (heard !== '' && until.test(heard)) finish()
    }
    socket.on('data', hear).once('close', finish)
    socket.write(bytes)
  })
}
