import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'

export interface Served {
  readonly trainingUrl: string
  readonly inferenceUrl: string
}

/**
 * Bundles the process that is killed, so that each start takes a fraction of a second.
 *
 * @returns The bundled file, and a function that removes it.
 */
export async function bundleKept(): Promise<{ file: string; remove: () => void }> {
  const root = join(import.meta.dirname, '..', '..', '..')
  const outdir = mkdtempSync(join(tmpdir(), 'svtrain-kills-'))
  symlinkSync(join(root, 'node_modules'), join(outdir, 'node_modules'))
  await build({
    absWorkingDir: root,
    entryPoints: [join(import.meta.dirname, 'kept.ts')],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // Modules that are loaded on demand, as in the package.
    external: ['@faker-js/faker', 'express', 'get-port', 'msw', 'undici', 'vitest', 'yaml'],
    logLevel: 'error',
  })
  return {
    file: join(outdir, 'kept.mjs'),
    remove: () => rmSync(outdir, { recursive: true, force: true }),
  }
}

/** One process, from its start to its exit. */
export class KeptProcess {
  /** The output on stderr. */
  stderr = ''
  readonly #child: ChildProcess
  #stdout = ''

  constructor(file: string, args: readonly string[]) {
    this.#child = spawn(process.execPath, [file, ...args])
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text))
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.stderr += text))
  }

  /** Resolves once it listens, or with undefined if it exits before. */
  async ready(): Promise<Served | undefined> {
    const ended = once(this.#child, 'close').then(() => false)
    while (!this.#stdout.includes('\n')) {
      const more = once(this.#child.stdout!, 'data').then(() => true)
      if (!(await Promise.race([more, ended]))) return undefined
    }
    return JSON.parse(this.#stdout) as Served
  }

  /** Kills it with SIGKILL. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'close')
    this.#child.kill('SIGKILL')
    await ended
  }
}
