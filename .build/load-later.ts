/**
 * Plugins of the bundle that keep a start from loading what it does not need. Without them a start takes 35 ms more on
 * Node 24.
 */
import { readFile } from 'node:fs/promises'
import type { Plugin as EsbuildPlugin } from 'esbuild'
import type { Plugin } from 'rolldown'

/**
 * Modules of Node of which an `import` reads each export, and so loads what nobody asked for: `node:http` the whole client
 * for `fetch`, `node:util` a parser of arguments, `node:process` reports of crashes. `getBuiltinModule` reads only what is
 * used.
 */
const READ_BY_IMPORT = ['fs', 'http', 'process', 'util']

/** Modules of which the command calls nothing at its start. The first call loads them. */
const CALLED_LATER = ['crypto', 'fs/promises', 'zlib']

/** Loads parts of Node without an `import`: 25 ms of a start on Node 24, and 8 on Node 20. */
export const builtins: Plugin = {
  name: 'builtins',
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk') continue
      // Only the imports at the start: a text further down may look like one.
      const imports = /^(?:import[^;]*;)*/.exec(file.code)![0]
      file.code =
        imports
          .replaceAll(importOf(READ_BY_IMPORT), read)
          .replaceAll(importOf(CALLED_LATER), call) + file.code.slice(imports.length)
    }
  },
}

function importOf(modules: readonly string[]): RegExp {
  const taken = String.raw`(?:\* ?as )?([\w$]+)?,?(?:\{([^}]*)\})?`
  return new RegExp(`import ?${taken} ?from"(?:node:)?(${modules.join('|')})";`, 'g')
}

function read(_import: string, whole: string, names: string, module: string): string {
  const taken = [whole, names && `{${names.replaceAll(' as ', ':')}}`].filter(Boolean)
  // Jest has a process of its own for each test file.
  const loaded =
    module === 'process' ? 'globalThis.process' : `process.getBuiltinModule("${module}")`
  return `const ${taken.map((each) => `${each}=${loaded}`).join(',')};`
}

function call(imported: string, whole: string, names = '', module: string): string {
  const taken = names.split(',').map((name) => name.split(' as '))
  // A class is not called, and is named with a capital letter.
  if (whole || taken.some(([name = '']) => !/^[a-z]/.test(name))) return imported
  const calls = taken.map(
    ([name, own = name]) => `${own}=(...a)=>process.getBuiltinModule("${module}").${name}(...a)`,
  )
  return `const ${calls.join(',')};`
}

/**
 * Changes what `@mswjs/data` loads of Node with the first record. It tells of a change with a `MessageEvent`, of which only
 * the type and the data are read, and Node loads its client for `fetch` for that. It names a record with a random
 * UUID that no other process sees, and Node loads `node:crypto` for that.
 */
export const recordTables: Plugin = {
  name: 'record-tables',
  transform(code, id) {
    if (/\brettime\b.*\bindex\.mjs$/.test(id)) {
      const event = `class RecordEvent {
        constructor(type, { data } = {}) { this.type = type; this.data = data }
        preventDefault() {}
        stopImmediatePropagation() {}
      }`
      return {
        code: `${event}${replaced(code, 'extends MessageEvent', 'extends RecordEvent')}`,
        map: null,
      }
    }
    if (/\bdata\b.*\bcollection-.*\.mjs$/.test(id)) {
      const key = 'let records = 0;'
      return {
        code: `${key}${replaced(code, 'crypto.randomUUID()', '`record-${++records}`')}`,
        map: null,
      }
    }
    return undefined
  },
}

function replaced(code: string, old: string, by: string): string {
  if (!code.includes(old)) throw new Error(`The code of a library no longer has: ${old}`)
  return code.replace(old, () => by)
}

/** Keeps only the types of files that a port serves. To set up all 2,500 types takes 10 ms of each start. */
export const servedTypes: EsbuildPlugin = {
  name: 'served-types',
  setup(bundling) {
    bundling.onLoad({ filter: /\bmime-db\b.*\bdb\.json$/ }, async ({ path }) => {
      const all = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>
      const served = ['text/html', 'text/css', 'text/javascript', 'text/plain', 'image/svg+xml']
      const types = [...served, 'application/json', 'application/octet-stream']
      const contents = JSON.stringify(Object.fromEntries(types.map((type) => [type, all[type]])))
      return { contents, loader: 'json' }
    })
  },
}

/** Express prints no debug logs, and loads `node:crypto` with the first ETag: both take 4 ms of each start. */
export const neededLater: EsbuildPlugin = {
  name: 'needed-later',
  setup(bundling) {
    bundling.onResolve({ filter: /^(?:debug|crypto)$/ }, ({ path }) => ({
      path,
      namespace: 'needed-later',
    }))
    bundling.onLoad({ filter: /^debug$/, namespace: 'needed-later' }, () => ({
      contents: 'module.exports = () => () => {}',
    }))
    bundling.onLoad({ filter: /^crypto$/, namespace: 'needed-later' }, () => ({
      contents: `module.exports = new Proxy({}, { get: (_, name) => require('node:crypto')[name] })`,
    }))
  },
}
