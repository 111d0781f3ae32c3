import { spawnSync } from 'node:child_process'

/** The programs that some tests need, and that not every machine has. */
export type Program = 'openssl' | 'python3' | 'script'

/** Whether this machine has a program. The `script` of other systems than Linux takes other options. */
export function has(program: Program): boolean {
  const { status, stdout } = spawnSync(program, [program === 'openssl' ? 'version' : '--version'])
  return status === 0 && (program !== 'script' || String(stdout).includes('util-linux'))
}
