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

/** The bundled processes that are killed. */
export interface Bundle {
  /** An emulator with a data folder. */
  readonly emulator: string
  /** A webhook sink with a file. */
  readonly sink: string
  readonly remove: () => void
}

/** Bundles the processes that are killed, so that each start takes a fraction of a second. */
export async function bundleKept(): Promise<Bundle> {
  const root = join(import.meta.dirname, '..', '..', '..')
  const outdir = mkdtempSync(join(tmpdir(), 'svtrain-kills-'))
  symlinkSync(join(root, 'node_modules'), join(outdir, 'node_modules'))
  const entryPoints = ['kept.ts', 'kept-sink.ts'].map((name) => join(import.meta.dirname, name))
  await build({
    absWorkingDir: root,
    entryPoints,
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
    emulator: join(outdir, 'kept.mjs'),
    sink: join(outdir, 'kept-sink.mjs'),
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
    return (await this.printed()) as Served | undefined
  }

  /** Resolves with the JSON that it prints first, or with undefined if it exits before. */
  async printed(): Promise<unknown> {
    const ended = once(this.#child, 'close').then(() => false)
    while (!this.#stdout.includes('\n')) {
      const more = once(this.#child.stdout!, 'data').then(() => true)
      if (!(await Promise.race([more, ended]))) return undefined
    }
    return JSON.parse(this.#stdout)
  }

  /** Kills it with SIGKILL. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'close')
    this.#child.kill('SIGKILL')
    await ended
  }
}
