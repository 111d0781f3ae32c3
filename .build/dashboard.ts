import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type Metafile } from 'esbuild'

const source = join(import.meta.dirname, '..', 'src', 'dashboard')

/** Bundles the dashboard: a page, a program, its style and an icon. Returns the list of its inputs. */
export async function buildDashboard(outdir: string): Promise<Metafile> {
  await mkdir(join(outdir, 'assets'), { recursive: true })
  await copyFile(join(source, 'index.html'), join(outdir, 'index.html'))
  await copyFile(join(source, 'icon.svg'), join(outdir, 'assets', 'icon.svg'))
  const { metafile } = await build({
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
  })
  return metafile
}
