#!/usr/bin/env node
import module from 'node:module'

// Where Node can keep what it compiled (22.8 and later), later starts are quicker.
module.enableCompileCache?.()
const { main } = await import('../dist/cli.js')
await main()
