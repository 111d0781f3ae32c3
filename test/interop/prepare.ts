/** Makes the virtual environments that `npm run conformance` needs, and says which are missing. */
import { preparePythons } from './python.js'

for (const [name, { why }] of Object.entries(await preparePythons())) {
  process.stdout.write(`${name}: ${why ?? 'ready'}\n`)
}
