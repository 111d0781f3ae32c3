import module from 'node:module'
import { setFlagsFromString } from 'node:v8'

/**
 * Stops the growth of the part of the heap for new objects, so that a server takes 20 to 50 MB less under load. It
 * answers as fast as before, because what an answer needs is small.
 *
 * Call it after the start. V8 does not take compiled code that was kept under other flags. So what the start has
 * compiled is kept first.
 */
export function keepHeapSmall(): void {
  // Node 22.10 and later have it.
  const { flushCompileCache } = module as { flushCompileCache?: () => void }
  flushCompileCache?.()
  setFlagsFromString('--semi-space-growth-factor=1')
}
