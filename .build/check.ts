/**
 * `npm run check`: runs each script of package.json that starts with `check:`, also after one failed. Two at a time,
 * because most of them keep one processor busy. The output of each comes at its end, in one piece.
 */
import { spawn } from 'node:child_process'
import process from 'node:process'
import manifest from '../package.json' with { type: 'json' }

const AT_ONCE = 2

const waiting = Object.keys(manifest.scripts).filter((name) => name.startsWith('check:'))
const failed: string[] = []

/** Runs a script, and writes what it printed. Resolves with its exit code. */
async function run(name: string): Promise<number | null> {
  // On Windows, npm is a file that only a shell starts.
  const script = spawn(`npm run ${name}`, { stdio: ['ignore', 'pipe', 'pipe'], shell: true })
  const printed: Buffer[] = []
  for (const stream of [script.stdout, script.stderr]) {
    stream.on('data', (part: Buffer) => printed.push(part))
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    script.once('error', reject).once('close', resolve)
  })
  process.stdout.write(Buffer.concat(printed))
  return code
}

async function runAll(): Promise<void> {
  for (let name = waiting.shift(); name; name = waiting.shift()) {
    if ((await run(name)) !== 0) failed.push(name)
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, runAll))
if (failed.length > 0) {
  process.stderr.write(`\nFailed: ${failed.map((name) => `npm run ${name}`).join(', ')}\n`)
  process.exitCode = 1
}
