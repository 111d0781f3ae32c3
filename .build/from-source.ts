/** Runs the command from the source, without a build: `npx tsx .build/from-source.ts play failing-job`. */
import { writeGenerated } from './stamp.js'

// Each time, so that a scenario that was changed has an effect.
writeGenerated()
const { main } = await import('../src/cli/main.js')
await main({ program: 'npx tsx .build/from-source.ts' })
