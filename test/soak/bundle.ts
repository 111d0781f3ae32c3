import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { build } from 'esbuild'

/** Programs of this folder, each as a file of JavaScript. */
export interface Bundle {
  /** Returns the file of a program, such as `kills/kept.ts`. */
  readonly fileOf: (program: string) => string
  readonly remove: () => void
}

/**
 * Bundles programs that are started many times. A start from the sources takes 2 s of a processor, and one from the
 * bundle half a second.
 */
export async function bundlePrograms(...programs: readonly string[]): Promise<Bundle> {
  const root = join(import.meta.dirname, '..', '..')
  const outdir = mkdtempSync(join(tmpdir(), 'svtrain-soak-'))
  symlinkSync(join(root, 'node_modules'), join(outdir, 'node_modules'))
  await build({
    absWorkingDir: root,
    entryPoints: programs.map((program) => join(import.meta.dirname, program)),
    entryNames: '[name]',
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    sourcemap: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // Modules that are loaded on demand, as in the package.
    external: ['@faker-js/faker', 'get-port', 'msw', 'undici', 'vitest', 'yaml'],
    // Shorter programs compile sooner. Express is bundled as in the package, and asks for parts of Node with `require`.
    minifyWhitespace: true,
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    logLevel: 'error',
  })
  return {
    fileOf: (program) => join(outdir, `${basename(program, '.ts')}.mjs`),
    remove: () => rmSync(outdir, { recursive: true, force: true }),
  }
}
