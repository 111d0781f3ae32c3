/**
 * Bundles the package into a folder. What every start needs is bundled in, because loading it file by
 * file is slower (yargs alone: 2.0 of a bare server's start against 1.6); what only some starts need
 * stays a dependency and is loaded when it is.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { buildDashboard } from './dashboard.js'
import { root } from './stamp.js'
import { scenarioJsonSchema } from '../src/scenario/scenario-json-schema.js'

const LOADED_WHEN_NEEDED = ['@faker-js/faker', 'cross-spawn', 'get-port', 'tsx', 'undici', 'yaml']

/**
 * Express and cors are CommonJS, which a bundle of ES modules cannot hold: they `require` parts of Node.
 * Each becomes a file of its own, loaded by `require`. An `import` would first search its text for
 * exports, which takes longer than running it.
 */
const COMMONJS = ['express', 'cors']
const commonJs: Plugin = {
  name: 'commonjs',
  setup(bundling) {
    bundling.onResolve({ filter: /^(?:express|cors)$/ }, ({ path }) => ({
      path,
      namespace: 'commonjs',
    }))
    bundling.onLoad({ filter: /./, namespace: 'commonjs' }, ({ path }) => ({
      contents: `import { createRequire } from 'node:module'
        export default createRequire(import.meta.url)('./${path}.cjs')`,
    }))
  },
}

/** Writes the programs, the dashboard, the licenses and the JSON Schema of scenarios. */
export async function bundle(outdir: string): Promise<void> {
  const libraries = await build({
    absWorkingDir: root,
    entryPoints: COMMONJS.map((name) => ({ in: name, out: name })),
    // A port wants raw bytes: no body parser runs in it, and loading them would take longer than Express.
    alias: { 'body-parser': './.build/no-body-parser.ts' },
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    minify: true,
    legalComments: 'none',
    metafile: true,
  })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      index: 'src/index.ts',
      browser: 'src/browser.ts',
      cli: 'src/cli/main.ts',
      client: 'src/client.ts',
      msw: 'src/msw.ts',
      vitest: 'src/vitest.ts',
      jest: 'src/jest.ts',
      assert: 'src/assert.ts',
      webhooks: 'src/webhooks.ts',
    },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // Handlers of one msw in a server of another half-work, and so do tests of one vitest in a run of
    // another: they must be the user's own.
    external: [...LOADED_WHEN_NEEDED, 'msw', 'vitest'],
    plugins: [commonJs],
    alias: { 'string-width': './.build/string-width.ts' },
    minify: true,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
  })
  const dashboard = await buildDashboard(join(outdir, 'dashboard'))
  await writeFile(
    join(outdir, 'THIRD-PARTY-LICENSES.txt'),
    await licensesOf({ ...metafile.inputs, ...libraries.metafile.inputs, ...dashboard.inputs }),
  )
  const schema = `${JSON.stringify(scenarioJsonSchema())}\n`
  await writeFile(join(outdir, 'scenario.schema.json'), schema)
}

/** The licences of the packages whose code is in the bundle, as most of them ask for. */
async function licensesOf(inputs: Metafile['inputs']): Promise<string> {
  const folders = new Set(
    Object.keys(inputs).flatMap((path) => {
      return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.split(sep).join('/')) ?? []
    }),
  )
  const texts = [...folders].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(
      await readFile(join(root, folder, 'package.json'), 'utf8'),
    ) as Record<string, string>
    const file = (await readdir(join(root, folder))).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file === undefined ? '' : await readFile(join(root, folder, file), 'utf8')
    return `${name} ${version} (${license})\n\n${text.trim()}\n`
  })
  return (await Promise.all(texts)).join(`\n${'-'.repeat(72)}\n\n`)
}
