import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import getPort from 'get-port'
import { WebSocket } from 'undici'
import { bearer } from '../support/api-client.js'

/** A program for this Node that serves at a port. */
export interface Program {
  args: (port: number) => string[]
  /** A path that it answers with 200 as soon as it is ready. */
  first: string
}

export interface ServerProcess {
  url: string
  pid: number
  stop: () => Promise<void>
}

/**
 * Starts a server on a free port, and polls `first` every few milliseconds until it answers 200,
 * because not every server prints when it is ready.
 */
export async function startServer({ args, first }: Program): Promise<ServerProcess> {
  const port = await getPort()
  const child = spawn(process.execPath, args(port), { stdio: ['ignore', 'ignore', 'pipe'] })
  endWithUs(child)
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text))
  const url = `http://127.0.0.1:${port}`
  // A server closes a connection that is idle, and then this process may be too busy to see it before its next call.
  const headers = { ...bearer(), connection: 'close' }
  const patience = performance.now() + 60_000
  for (;;) {
    const status = await fetch(url + first, { headers }).then(
      async (response) => {
        await response.arrayBuffer()
        return response.status
      },
      () => undefined,
    )
    if (status === 200) break
    if (child.exitCode !== null || performance.now() > patience) {
      throw new Error(`${args(port).join(' ')} does not answer: ${status ?? ''} ${complaints}`)
    }
    await new Promise((resolve) => void setTimeout(resolve, 3))
  }
  return { url, pid: child.pid!, stop: () => stop(child) }
}

/** Stops all servers if the bench fails. */
export function endWithUs(child: ChildProcess): void {
  const end = (): void => void child.kill('SIGKILL')
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill('SIGTERM')
  const force = setTimeout(() => child.kill('SIGKILL'), 2000)
  await once(child, 'exit')
  clearTimeout(force)
}

/** The processor time of a process in ms. Other load of the machine disturbs it little. */
export function processorTimeOf({ pid }: Pick<ServerProcess, 'pid'>): number {
  if (process.platform !== 'linux') return Number.NaN
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  const whole = (Number(fields[11]) + Number(fields[12])) * 10
  // The time of each thread is exact, but that of ended threads is only in the sum, which has steps of 10 ms.
  const threads = readdirSync(`/proc/${pid}/task`)
  return Math.max(
    whole,
    threads.reduce((sum, thread) => sum + timeOfThread(`/proc/${pid}/task/${thread}`), 0),
  )
}

function timeOfThread(folder: string): number {
  try {
    return Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    // It has just ended.
    return 0
  }
}

/** The memory of a process in bytes. */
export function residentBytesOf({ pid }: Pick<ServerProcess, 'pid'>): number {
  if (process.platform !== 'linux') return Number.NaN
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024
}

/** The bytes in use on the heap of a process after a collection of garbage, by the port of its inspector. */
export async function heapAt(inspector: number): Promise<number> {
  const targets = await (await fetch(`http://127.0.0.1:${inspector}/json/list`)).json()
  const [{ webSocketDebuggerUrl }] = targets as [{ webSocketDebuggerUrl: string }]
  const socket = new WebSocket(webSocketDebuggerUrl)
  await once(socket, 'open')
  const send = async (id: number, method: string): Promise<unknown> => {
    socket.send(JSON.stringify({ id, method }))
    const [{ data }] = (await once(socket, 'message')) as [MessageEvent<string>]
    return (JSON.parse(data) as { result: unknown }).result
  }
  await send(1, 'HeapProfiler.collectGarbage')
  const { usedSize } = (await send(2, 'Runtime.getHeapUsage')) as { usedSize: number }
  socket.close()
  return usedSize
}

/** The arguments of the silent emulator that was built in a folder, so that output is not measured. */
export function emulatorAt(port: number, flags: readonly string[], folder = '.'): string[] {
  const own = ['--inference-port=0', '--log=silent', `--port=${port}`]
  return [join(folder, 'bin/svtrain-emulator.js'), ...own, ...flags]
}
