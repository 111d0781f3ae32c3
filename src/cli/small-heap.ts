import module from 'node:module'
import { setFlagsFromString } from 'node:v8'

/**
 * Stops the growth of the part of the heap for new objects. On Node 24, a server then takes a fifth to a half less memory
 * under load, and less of a processor for pages and streams. Node 20 stays as it is: each call would take a tenth more.
 *
 * Call it after the start. V8 does not take compiled code that was kept under other flags. So what the start has
 * compiled is kept first.
 */
export function keepHeapSmall(): void {
  // Node 22.10 and later have it.
  const { flushCompileCache } = module as { flushCompileCache?: () => void }
  if (!flushCompileCache) return
  flushCompileCache()
  setFlagsFromString('--semi-space-growth-factor=1')
}
