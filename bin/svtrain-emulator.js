#!/usr/bin/env node
import { existsSync } from 'node:fs'
import module from 'node:module'

const program = new URL('../dist/cli.js', import.meta.url)
if (existsSync(program)) {
  // Node 22.8 and later keeps compiled code, so that the next start is faster.
  module.enableCompileCache?.()
  const { main } = await import(program.href)
  await main()
} else {
  process.stderr.write(
    'svtrain-emulator is not built: dist/cli.js is missing. Build it with: npm ci && npm run build\n' +
      'Or run it from the source: npx tsx .build/from-source.ts\n',
  )
  process.exitCode = 1
}
