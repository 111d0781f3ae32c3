import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { onTestFinished } from 'vitest'

type DiskCall = 'writeFileSync' | 'fsyncSync' | 'renameSync' | 'linkSync' | 'mkdirSync'
type Disk = Record<DiskCall, (...args: unknown[]) => unknown>

const disk = fs as unknown as Disk

/**
 * Replaces one call of the file system, as a disk that fails would: tests run as root, and cannot fill a disk.
 * Lasts until the returned function is called, or the test ends.
 *
 * @param stub Gets the real call and its arguments.
 */
export function stubDisk(
  call: DiskCall,
  stub: (real: (...args: unknown[]) => unknown, ...args: unknown[]) => unknown,
): () => void {
  const real = disk[call]
  const restore = (): void => {
    disk[call] = real
    syncBuiltinESMExports()
  }
  disk[call] = (...args) => stub(real, ...args)
  syncBuiltinESMExports()
  onTestFinished(restore)
  return restore
}

/** An error of the file system, such as `ENOSPC`. */
export function diskError(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code })
}
