/**
 * Chat completions with one fixed answer beside aimock, interleaved: answers per second, streamed
 * chunks per second, and the time to the first chunk. Medians. The peer is installed, pinned, into a
 * folder of its own below the operating system's temporary one, and stays there for the next run.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load, rawRequest } from './load.js'
import { emulatorArgs, startServer, type ServerProcess } from './server-process.js'
import { median, spread } from './statistics.js'

const ROUNDS = Number(process.env.ROUNDS ?? 9)
const OPTIONS = { connections: 32, ms: 1000 }
const PEER = '@copilotkit/aimock@1.43.0'
const ANSWER = 'The sky is blue because short waves of light scatter more than long ones do.'
/** Aimock streams so many characters a chunk; ours is a token a chunk, here a word of four letters. */
const CHUNKS = 2000
const LONG = ' sure'.repeat(CHUNKS).slice(1)

const folder = join(tmpdir(), 'svtrain-bench-aimock-1.43.0')

function installPeer(): void {
  if (existsSync(join(folder, 'node_modules/@copilotkit/aimock'))) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private": true}')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', PEER], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

function writeScenario(): string {
  const path = join(folder, 'fixed.json')
  const rule = (user: string, answer: string): object => ({ match: { user }, answer })
  const rules = [rule('long', LONG), rule('short', ANSWER)]
  writeFileSync(path, JSON.stringify({ name: 'fixed', chat: { rules } }))
  return path
}

function writePeer(): string {
  const path = join(folder, 'server.mjs')
  const program = `
    import { LLMock } from '@copilotkit/aimock'
    const mock = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 5, logLevel: 'silent' })
    mock.onMessage('long', { content: ${JSON.stringify(LONG)} })
    mock.onMessage('short', { content: ${JSON.stringify(ANSWER)} })
    const url = await mock.start()
    console.log(String(url).replace('localhost', '127.0.0.1') + '/v1\\n')
  `
  writeFileSync(path, program)
  return path
}

interface Streamed {
  chunks: number
  firstAfter: number
  took: number
}

function stream(server: ServerProcess): Promise<Streamed> {
  const body = JSON.stringify({ ...asked('long'), stream: true })
  const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const start = performance.now()
    let firstAfter = 0
    let chunks = 0
    const url = new URL(`${server.url}/chat/completions`)
    const call = request(url, { method: 'POST', headers, agent: false }, (response) => {
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        firstAfter ||= performance.now() - start
        for (let at = text.indexOf('data: {'); at !== -1; at = text.indexOf('data: {', at + 1)) {
          chunks++
        }
      })
      response.on('end', () => resolve({ chunks, firstAfter, took: performance.now() - start }))
    })
    call.on('error', reject)
    call.end(body)
  })
}

function asked(content: string): object {
  return { model: 'example/base-8b-instruct', messages: [{ role: 'user', content }] }
}

installPeer()
const servers = {
  ours: await startServer([...emulatorArgs, '--scenario', writeScenario()]),
  aimock: await startServer([writePeer()]),
}
const body = JSON.stringify(asked('short'))
type Name = keyof typeof servers

function perName<T>(): Record<Name, T[]> {
  return { ours: [], aimock: [] }
}

async function answersPerSecond(name: Name): Promise<number> {
  const url = new URL(`${servers[name].url}/chat/completions`)
  return load(url, rawRequest('POST', url, body), OPTIONS)
}

/** What a process has used, in ms: unlike a rate, it says the same on a machine that is busy. */
function cpuTime({ pid }: ServerProcess): number {
  if (process.platform !== 'linux') return Number.NaN
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const rates = perName<number>()
const costs = perName<number>()
const chunkRates = perName<number>()
const firsts = perName<number>()
for (let round = 0; round <= ROUNDS; round++) {
  for (const name of ['aimock', 'ours'] as const) {
    const before = cpuTime(servers[name])
    const rate = await answersPerSecond(name)
    const used = cpuTime(servers[name]) - before
    const streams: Streamed[] = []
    for (let time = 0; time < 20; time++) streams.push(await stream(servers[name]))
    // The first round warms both up.
    if (round === 0) continue
    rates[name].push(rate)
    costs[name].push((used / (rate * (OPTIONS.ms / 1000))) * 1000)
    chunkRates[name].push(median(streams.map(({ chunks, took }) => (chunks / took) * 1000)))
    firsts[name].push(median(streams.map(({ firstAfter }) => firstAfter)))
  }
}
await servers.ours.stop()
await servers.aimock.stop()

function tell(what: string, values: Record<Name, number[]>, digits = 0): void {
  const ratios = values.ours.map((value, round) => value / values.aimock[round]!)
  const [ours, peer] = [median(values.ours), median(values.aimock)].map((x) => x.toFixed(digits))
  const ratio = `${median(ratios).toFixed(2)} ± ${spread(ratios).toFixed(2)}`
  console.log(`${what.padEnd(30)} ours ${ours}, aimock ${peer}: ${ratio}`)
}

console.log(`Node ${process.version}, ${ROUNDS} rounds, beside ${PEER}`)
tell('answers per second', rates)
tell('microseconds of CPU an answer', costs)
tell('streamed chunks per second', chunkRates)
tell('milliseconds to first chunk', firsts, 2)
