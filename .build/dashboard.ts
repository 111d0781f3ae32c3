import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type Metafile } from 'esbuild'

const source = join(import.meta.dirname, '..', 'src', 'dashboard')

/**
 * Bundles the dashboard: a page, a program, its style and an icon. Returns the list of its inputs.
 *
 * At every moment, each file is the old one or the new one: while one process of the tests builds the
 * dashboard, another one serves it.
 */
export async function buildDashboard(outdir: string): Promise<Metafile> {
  await mkdir(join(outdir, 'assets'), { recursive: true })
  const { metafile, outputFiles } = await build({
    absWorkingDir: join(source, '..', '..'),
    entryPoints: [join(source, 'main.tsx'), join(source, 'dashboard.css')],
    outdir: join(outdir, 'assets'),
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    metafile: true,
    write: false,
  })
  for (const { path, contents } of outputFiles) await replace(path, contents)
  await replace(join(outdir, 'assets', 'icon.svg'), await readFile(join(source, 'icon.svg')))
  await replace(join(outdir, 'index.html'), await readFile(join(source, 'index.html')))
  return metafile
}

/** Replaces a file in one step. */
async function replace(path: string, contents: Uint8Array): Promise<void> {
  const temporary = `${path}.${randomUUID()}`
  await writeFile(temporary, contents)
  await rename(temporary, path)
}
