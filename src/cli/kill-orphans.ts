import { readdirSync, readFileSync } from 'node:fs'
import { kill, pid as ownPid, platform } from 'node:process'

/** Marks a command, and all that it starts, which inherit it. */
export const MARK = 'SVTRAIN_EXEC'

/**
 * Kills what a command that has ended left running, whatever group it is in, by the mark in its
 * environment. Where processes cannot be looked at so, as everywhere but on Linux, it stays.
 */
export function killLeftBehind(mark: string): void {
  if (platform !== 'linux') return
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry)
    if (!Number.isInteger(pid) || pid === ownPid || !isMarked(pid, mark)) continue
    try {
      kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}

function isMarked(pid: number, mark: string): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
    return environment.split('\0').includes(`${MARK}=${mark}`)
  } catch {
    // It is another user's, or has ended.
    return false
  }
}
