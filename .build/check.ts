/** `npm run check`: runs each script of package.json that starts with `check:`, also after one failed. */
import { spawnSync } from 'node:child_process'
import process from 'node:process'
import manifest from '../package.json' with { type: 'json' }

const scripts = Object.keys(manifest.scripts).filter((name) => name.startsWith('check:'))
const failed = scripts.filter((name) => {
  // On Windows, npm is a file that only a shell starts.
  const { status } = spawnSync(`npm run ${name}`, { stdio: 'inherit', shell: true })
  return status !== 0
})
if (failed.length > 0) {
  process.stderr.write(`\nFailed: ${failed.map((name) => `npm run ${name}`).join(', ')}\n`)
  process.exitCode = 1
}
