import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface ServerProcess {
  /** Ends in `/v1`. */
  url: string
  pid: number
  stop: () => Promise<void>
}

/** Starts a server and reads from what it prints where it serves: the first URL. */
export async function startServer(args: readonly string[]): Promise<ServerProcess> {
  const child = spawn(process.execPath, [...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  let url: string | undefined
  child.stdout.setEncoding('utf8')
  while (url === undefined) {
    const [text] = (await once(child.stdout, 'data')) as [string]
    printed += text
    url = /http:\/\/127\.0\.0\.1:\d+\/v1(?=\s)/.exec(printed)?.[0]
  }
  child.stdout.resume()
  return {
    url,
    pid: child.pid!,
    stop: async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** Silent, so that the terminal is not what is measured. */
export const emulatorArgs = [
  'bin/svtrain-emulator.js',
  '--port=0',
  '--inference-port=0',
  '--log=silent',
]
