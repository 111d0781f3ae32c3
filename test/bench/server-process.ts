import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface ServerProcess {
  /** Ends in `/v1`. */
  url: string
  stop: () => Promise<void>
}

/** Starts a server that says where it is in the first line that it prints, as JSON. */
export async function startServer(args: readonly string[]): Promise<ServerProcess> {
  const child: ChildProcess = spawn(process.execPath, [...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string]
  child.stdout!.resume()
  return {
    url: (JSON.parse(line) as { trainingUrl: string }).trainingUrl,
    stop: async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

export const emulatorArgs = [
  'bin/svtrain-emulator.js',
  ...['--port', '0', '--inference-port', '0', '--log', 'json'],
]
