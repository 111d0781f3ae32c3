import { readdirSync, readFileSync } from 'node:fs'
import { kill, pid as ownPid, platform } from 'node:process'

/** The environment variable that marks a command. The processes that it starts inherit it. */
export const MARK = 'SVTRAIN_EXEC'

/**
 * Kills the processes with this mark in their environment, in any process group. Works only on Linux,
 * where the environment of other processes can be read.
 */
export function killOrphans(mark: string): void {
  if (platform !== 'linux') return
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry)
    if (!Number.isInteger(pid) || pid === ownPid || !isMarked(pid, mark)) continue
    try {
      kill(pid, 'SIGKILL')
    } catch {
      // It has ended meanwhile.
    }
  }
}

function isMarked(pid: number, mark: string): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
    return environment.split('\0').includes(`${MARK}=${mark}`)
  } catch {
    // It belongs to another user, or has ended.
    return false
  }
}
